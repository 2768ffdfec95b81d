import type { Page } from '@playwright/test'
import { payByCard, product, readySeller } from './selling.ts'
import { shotsOf } from './shots.ts'
import { expect, expectSound, linkTo, newEmail, signInAsStaff, test, wake } from './steps.ts'

const shot = shotsOf('trust')

async function report(page: Page, path: string, text: string) {
  await page.goto(path)
  await wake(page)
  await page.getByRole('button', { name: 'Report', exact: true }).click()
  const panel = page.getByRole('dialog', { name: 'Report' })
  await panel.getByLabel('What is wrong').selectOption('copied')
  await panel.getByLabel('Tell us more').fill(text)
  await expectSound(page)
  await shot(page, `report-${path.split('/').length > 3 ? 'product' : 'storefront'}`)
  await panel.getByRole('button', { name: 'Send report' }).click()
  await expect(page.getByText('Thank you. We look at every report')).toBeVisible()
}

test('a visitor reports a product, staff take it down and back, then stop the seller; a buyer keeps the download [S13]', {
  tag: '@proof',
}, async ({ page, request, browser, baseURL }) => {
  test.setTimeout(180_000)
  const seller = await readySeller(request)
  const sold = await product(request, seller, `Copied guide ${Date.now().toString(36)}`, 4900)
  const storefront = sold.path.split('/').slice(0, 3).join('/')
  const email = newEmail()
  const buyer = await (await browser.newContext({ baseURL: baseURL! })).newPage()
  await buyer.goto(sold.path)
  await wake(buyer)
  await buyer.getByRole('button', { name: 'Add to cart' }).click()
  await buyer.getByRole('button', { name: 'Open the cart' }).first().click()
  // The tax of the visitor's country stands there before anything is paid.
  await buyer.getByLabel('Your country').selectOption('DE')
  await expect(buyer.getByText('VAT, 19%')).toBeVisible()
  await expect(buyer.getByText('$58.31')).toBeVisible()
  await expectSound(buyer)
  await shot(buyer, 'cart-with-tax')
  await buyer.getByLabel('Email for the receipt').fill(email)
  await buyer.getByRole('button', { name: 'Go to payment' }).click()
  await payByCard(buyer)
  await expect(buyer.getByRole('heading', { name: 'Your download is ready' })).toBeVisible({ timeout: 20_000 })
  const order = await linkTo(buyer, email, '/orders/', /Your order/)

  await report(page, sold.path, 'This is my book with another cover.')
  await report(page, storefront, 'All of it is copied.')
  await signInAsStaff(page, request)
  await page.goto('/staff')
  await page.getByRole('tab', { name: 'Reports' }).click()
  const panel = page.getByRole('tabpanel')
  await expect(panel.getByText('Not listed yet')).toBeVisible()
  await expectSound(page)
  await panel.getByLabel('Reason').fill('The author showed their copyright')
  await panel.getByRole('button', { name: 'List reports' }).click()
  const row = panel.getByRole('listitem').filter({ hasText: 'This is my book with another cover.' }).first()
  await expect(row).toBeVisible()
  await expectSound(page)
  await shot(page, 'reports')
  await row.getByRole('button', { name: 'Take down' }).click()
  await expect(page.getByText('Taken down', { exact: true }).first()).toBeVisible()

  const gone = async (is: boolean) => expect.poll(async () => (await request.get(sold.path)).status() === 404, { timeout: 45_000 }).toBe(is)
  await gone(true)
  await buyer.goto(order)
  const [file] = await Promise.all([buyer.waitForEvent('download'), buyer.getByRole('button', { name: 'Download guide.txt' }).click()])
  expect(file.suggestedFilename()).toBe('guide.txt')
  await shot(page, 'decided')
  await panel.getByRole('row').filter({ hasText: 'Copied guide' }).getByRole('button', { name: 'Undo' }).first().click()
  await gone(false)

  const whole = panel.getByRole('listitem').filter({ hasText: 'All of it is copied.' }).first()
  await whole.getByRole('button', { name: 'Suspend seller' }).click()
  await gone(true)
  await buyer.reload()
  await expect(buyer.getByRole('button', { name: 'Download guide.txt' })).toBeVisible()
  await expect(buyer.getByText('No longer for sale')).toBeVisible()
})
