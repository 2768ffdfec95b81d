import type { APIRequestContext } from '@playwright/test'
import { expect, expectSound, newEmail, password, test, wake } from './steps.ts'

test.use({ allowed: [/404|409|503/] })

const goods = [
  { title: 'Lead qualification', category: 'Marketing', price_cents: 4900 },
  { title: 'Invoice <b>reminders</b> & "more"', category: 'Finance', price_cents: 1900 },
]

/** A seller with an account, and products that were made and published as sellers do it. */
async function openShop(request: APIRequestContext, products: object[] = goods) {
  const email = newEmail()
  const name = `Mara ${email.slice(4, 20).replaceAll(/[^a-z0-9]/g, '')}`
  const signedUp = await request.post('/auth/v1/signup', { data: { email, password, data: { full_name: name, name } } })
  const { access_token } = await signedUp.json()
  const headers = { authorization: `Bearer ${access_token}` }
  const call = async (path: string, data: object) => {
    const response = await request.post(`/functions/v1/${path}`, { data, headers })
    expect(response.status(), await response.text()).toBe(200)
    return response.json()
  }
  const addresses: string[] = []
  for (const product of products) {
    const { item_id } = await call('create-product', { description: 'Asks and answers.', item_type: 'Workflow', ...product })
    const { url } = await call('publish-product', { item_id })
    addresses.push(new URL(url).pathname)
  }
  const storefront = addresses[0]!.replace(/\/[^/]+$/, '')
  return { name, storefront, addresses, headers }
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('a storefront comes with its rows, and search, filters and product pages work [spec-102]', async ({ page, request }) => {
    const { storefront } = await openShop(request)
    expect((await page.goto(storefront))?.status()).toBe(200)
    const titles = page.getByRole('main').getByRole('heading', { level: 2 })
    await expect(titles).toHaveText(['Invoice <b>reminders</b> & "more"', 'Lead qualification'])
    await expect(page.getByText('2 products')).toBeVisible()
    await expect(page.getByText('$49.00')).toBeVisible()
    await expect(page.locator('link[rel=canonical]')).toHaveAttribute('href', new RegExp(`${storefront}$`))
    await expect(page.locator('meta[name=robots]')).toHaveCount(0)
    await expect(page.getByRole('link', { name: 'Get Started' }).last()).toHaveAttribute('href', '/')
    await page.getByRole('searchbox', { name: 'Search products' }).fill('invo')
    await page.getByRole('button', { name: 'Search' }).click()
    await expect(page).toHaveURL(/\?q=invo$/)
    await expect(titles).toHaveText(['Invoice <b>reminders</b> & "more"'])
    await page.getByRole('link', { name: 'Marketing' }).click()
    await expect(page.getByText('No items match these words')).toBeVisible()
    await page.getByRole('link', { name: 'Show all products' }).click()
    await expect(titles).toHaveCount(2)
    await page.getByRole('link', { name: /^Invoice/ }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Invoice <b>reminders</b> & "more"')
    await expect(page).toHaveTitle(/^Invoice <b>reminders<\/b> & "more" by Mara /)
    const structured = JSON.parse((await page.locator('script[type="application/ld+json"]').textContent())!)
    expect(structured).toMatchObject({ '@type': 'Product', name: goods[1]!.title, offers: { price: '19.00', priceCurrency: 'USD' } })
    // Nobody pays this seller out yet, so the form ends with the words for that.
    await page
      .getByRole('complementary', { name: 'Buy' })
      .getByRole('button', { name: /^Buy Now/ })
      .click()
    await expect(page.getByText('Purchase functionality coming soon!')).toBeVisible()
  })
})

test('a storefront comes alive as it was drawn, and the address keeps a search [spec-102]', async ({ page, request }) => {
  const { name, storefront, addresses } = await openShop(request)
  const asked: string[] = []
  page.on('request', (each) => each.url().includes('storefront-page') && asked.push(each.url()))
  await page.goto(storefront)
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await wake(page)
  const titles = page.getByRole('main').getByRole('heading', { level: 2 })
  expect(asked).toEqual([])
  await page.getByRole('searchbox', { name: 'Search products' }).fill('invoice')
  await page.keyboard.press('Enter')
  await expect(titles).toHaveCount(1)
  await expect(page).toHaveURL(/\?q=invoice$/)
  await page.reload()
  await expect(titles).toHaveCount(1)
  await expectSound(page)
  await page.goto(addresses[0]!)
  await expect(page.getByRole('heading', { level: 1, name: 'Lead qualification' })).toBeVisible()
  await expectSound(page)
})

test('a product page names its script until its pictures are there, and a press before that is given again', async ({ page, request }) => {
  const { addresses } = await openShop(request)
  await page.route('**/assets/index-*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1500))
    await route.continue()
  })
  const asked = page.waitForRequest('**/assets/index-*.js')
  const response = await page.goto(addresses[0]!, { waitUntil: 'commit' })
  expect(await response!.text()).not.toContain('<script type="module"')
  await page.getByRole('button', { name: 'Switch to light theme' }).click()
  await asked
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
})

test('the directory leads to a product and to its seller', async ({ page, request }) => {
  const { name, storefront } = await openShop(request)
  await page.goto('/marketplace?q=lead')
  await expect(page.getByRole('heading', { name: 'Marketplace', level: 1 })).toBeVisible()
  await expect(page.getByText('No seller can pay for a place.')).toBeVisible()
  await wake(page)
  await page.getByRole('link', { name }).first().click()
  await expect(page).toHaveURL(new RegExp(`${storefront}$`))
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await page.goto('/marketplace')
  await expectSound(page)
})

test('a storefront is shared by its link, and a browser without a clipboard is told of', async ({ page, request }) => {
  const { storefront } = await openShop(request, goods.slice(0, 1))
  // As on a page that came without TLS.
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await page.goto(storefront)
  await page.getByRole('button', { name: 'Copy the link' }).click()
  await expect(page.getByText('Not copied')).toBeVisible()
})

test('a page that the server could not draw asks by itself, and offers to try again [spec-102]', async ({ page }) => {
  // The answer of the gateway when marketplace is away is the frame: a page that nothing has drawn.
  await page.route('**/functions/v1/storefront-page', (route) => route.fulfill({ status: 503, json: {} }))
  await page.goto('/')
  await wake(page)
  await page.evaluate(() => {
    history.pushState({}, '', '/marketplace/somebody')
    dispatchEvent(new PopStateEvent('popstate'))
  })
  await expect(page.getByRole('status', { name: 'Loading the marketplace' })).toBeVisible()
  await expect(page.getByRole('main').getByText('Failed to load marketplace')).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
})

test('a storefront of nobody says so, to people and to search engines [spec-102]', async ({ page }) => {
  expect((await page.goto('/marketplace/nobody'))?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: 'Marketplace Not Found' })).toBeVisible()
  await expect(page.getByText("The marketplace you're looking for doesn't exist.")).toBeVisible()
  await expect(page.getByText('Marketplace not found', { exact: true })).toBeVisible()
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex')
})
