import { startOwnPlatform } from './ownPlatform.ts'
import { expect, test, wake } from './steps.ts'

// Refusals of a demo are answers of the server, which the console names.
test.use({ allowed: [/403/] })

test('where real people come, a demo is looked around in: filled, answered from the record, and every change is refused with a way to an account', async ({
  browser,
}) => {
  test.setTimeout(180_000)
  const platform = await startOwnPlatform({ NODE_ENV: 'production', DEMO_ACCOUNTS: 'on' })
  try {
    const page = await (await browser.newContext({ baseURL: platform.address, reducedMotion: 'reduce' })).newPage()
    await page.goto('/auth/seller')
    await wake(page)
    await page.getByRole('button', { name: 'Try the demo as a seller' }).click()
    await expect(page.getByText('Nothing in it can be changed.')).toBeVisible({ timeout: 20_000 })
    await expect(page).toHaveURL(/\/dashboard$/, { timeout: 20_000 })
    const line = page.getByRole('complementary', { name: 'Demo' })
    await expect(line).toContainText(/This is a demo to look around in\. It ends .+\./)
    await expect(page.getByText('Draft three ad variations for the spring offer')).toBeVisible()

    // A question gets an answer of the record, which says so; no model is asked.
    await page.goto('/dashboard/operon-ai')
    await page.getByLabel('Message Operon AI').fill('Write me a poem about bread')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('log').getByText(/no model answers here/)).toBeVisible({ timeout: 20_000 })

    // The analyst proposes nothing that it could not keep.
    await page.goto('/dashboard/ai-assistant')
    await page.getByLabel('Message the analyst').fill('Write an email to thank Anna')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('log').getByText(/no model answers here/)).toBeVisible({ timeout: 20_000 })
    await expect(page.getByRole('region', { name: /^Proposed: / })).toHaveCount(0)

    await page.goto('/dashboard/settings')
    await page.getByLabel('Name', { exact: true }).fill('Somebody Else')
    await page.getByRole('button', { name: 'Save profile' }).click()
    await expect(page.getByText('This is a demo. Create an account to keep what you make.').first()).toBeVisible()
    await page.reload()
    await expect(page.getByLabel('Name', { exact: true })).not.toHaveValue('Somebody Else')

    await line.getByRole('button', { name: 'Create an account' }).click()
    await expect(page).toHaveURL(/\/auth$/)
    await page.context().close()

    // A buyer's demo has what a buyer saves, stays in the buyer's pages, and claims no deletion that was refused.
    const buyer = await (await browser.newContext({ baseURL: platform.address, reducedMotion: 'reduce' })).newPage()
    await buyer.goto('/auth/buyer')
    await wake(buyer)
    await buyer.getByRole('button', { name: 'Try the demo as a buyer' }).click()
    await expect(buyer).toHaveURL(/\/buyer-dashboard$/, { timeout: 20_000 })
    await buyer.goto('/buyer-dashboard/wishlist')
    await expect(buyer.getByRole('list', { name: 'Saved products' }).getByRole('listitem')).toHaveCount(3)
    await buyer.goto('/buyer-dashboard/searches')
    const failures: string[] = []
    buyer.on('pageerror', ({ message }) => failures.push(message))
    await buyer.getByRole('link', { name: 'Support', exact: true }).click()
    await expect(buyer).toHaveURL(/\/marketplace\?/)
    await buyer.goBack()
    await buyer.getByRole('button', { name: 'Delete the search Support' }).click()
    await expect(buyer.getByText('The search was not changed')).toBeVisible()
    await expect(buyer.getByText('Support was deleted')).toHaveCount(0)
    await expect(buyer.getByRole('button', { name: 'Delete the search Support' })).toBeVisible()
    expect(failures).toEqual([])
    await buyer.context().close()
  } finally {
    await platform.stop()
  }
})
