import { expect, expectSound, test } from './steps.ts'

// Nobody has a storefront on the platform under test: the page itself is a 404, and its answers are given here.
test.use({ allowed: [/404|503/] })

test('a storefront is drawn before its script comes, and says what it is to search and previews [spec-102]', async ({ page }) => {
  await page.route('**/assets/index-*.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
  expect((await page.goto('/marketplace/somebody'))?.status()).toBe(404)
  await expect(page.getByText('Look around without an account')).toBeVisible()
  await expect(page.getByRole('searchbox', { name: 'Search products' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Get Started' }).last()).toHaveAttribute('href', '/')
  await expect(page).toHaveTitle(/^A storefront · /)
  await expect(page.locator('meta[property="og:title"]')).toHaveAttribute('content', /^A storefront · /)
  await expect(page.locator('meta[name=robots], link[rel=canonical]')).toHaveCount(0)
})

const item = (id: string, title: string, category: string) => ({
  id,
  title,
  category,
  description: 'Asks and answers.',
  price: 19,
  item_type: 'Workflow',
})

test('a storefront is searched and narrowed, and the address keeps both [spec-102]', async ({ page }) => {
  await page.route('**/rest/v1/user_profiles**', (route) =>
    route.fulfill({ json: [{ user_id: 'u', display_name: 'Mara Lindt', marketplace_slug: 'mara' }] }),
  )
  await page.route('**/rest/v1/marketplace_items**', (route) =>
    route.fulfill({ json: [item('1', 'Lead qualification', 'Marketing'), item('2', 'Invoice reminders', 'Finance')] }),
  )
  await page.goto('/marketplace/mara')
  await expect(page.getByRole('heading', { name: 'Mara Lindt', level: 1 })).toBeVisible()
  await expect(page).toHaveTitle(/^Mara Lindt · /)
  await expect(page.getByText('2 products')).toBeVisible()
  const titles = page.getByRole('main').getByRole('heading', { level: 2 })
  await page.getByRole('searchbox', { name: 'Search products' }).fill('invoice')
  await expect(titles).toHaveText(['Invoice reminders'])
  await expect(page).toHaveURL(/\?q=invoice$/)
  await page.getByRole('button', { name: 'Marketing' }).click()
  await expect(page.getByText('No items match these words')).toBeVisible()
  await page.reload()
  await expect(page.getByText('No items match these words')).toBeVisible()
  await page.getByRole('button', { name: 'Show all 2' }).click()
  await expect(titles).toHaveCount(2)
  await page.getByRole('button', { name: 'Buy Now' }).first().click()
  await expect(page.getByText('Purchase functionality coming soon!')).toBeVisible()
  await expectSound(page)
})

test('a storefront is shared by its link, and a browser without a clipboard is told of', async ({ page }) => {
  await page.route('**/rest/v1/user_profiles**', (route) =>
    route.fulfill({ json: [{ user_id: 'u', display_name: 'Mara Lindt', marketplace_slug: 'mara' }] }),
  )
  await page.route('**/rest/v1/marketplace_items**', (route) => route.fulfill({ json: [] }))
  // As on a page that came without TLS.
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await page.goto('/marketplace/mara')
  await expect(page.getByText('No products available')).toBeVisible()
  await page.getByRole('button', { name: 'Copy the link' }).click()
  await expect(page.getByText('Not copied')).toBeVisible()
})

test('a storefront of a seller who offers nothing yet says so, and one that cannot be read offers to try again [spec-102]', async ({
  page,
}) => {
  await page.route('**/rest/v1/user_profiles**', (route) =>
    route.fulfill({ json: [{ user_id: 'u', display_name: 'Mara Lindt', marketplace_slug: 'mara' }] }),
  )
  await page.route('**/rest/v1/marketplace_items**', (route) => route.fulfill({ json: [] }))
  await page.goto('/marketplace/mara')
  await expect(page.getByText('No products available')).toBeVisible()
  await expect(page.getByText("This seller hasn't listed any products yet.")).toBeVisible()
  await page.route('**/rest/v1/user_profiles**', (route) => route.fulfill({ status: 503, json: {} }))
  await page.reload()
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
