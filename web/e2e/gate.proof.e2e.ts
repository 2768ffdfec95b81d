import type { Page } from '@playwright/test'
import { enter, expect, inThirtyDays, newAccount, payAtCheckout, signUp, test, trialSeller, wake } from './steps.ts'

// The gate: signed out, without a plan, with one, and the way to a plan. `app.e2e.ts` covers the pages behind it.

test('verifying access: signed out goes to the seller portal; while it is checked the page says so [spec-46]', async ({ page }) => {
  await page.goto('/dashboard')
  await page.waitForURL('**/auth/seller')
  await trialSeller(page)
  const held = Promise.withResolvers<void>()
  await page.route('**/rest/v1/subscribers**', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto('/dashboard')
  await expect(page.getByText('Verifying access...')).toBeVisible()
  held.resolve()
  await expect(page.getByRole('heading', { name: /^Welcome Back/ })).toBeVisible()
})

test.describe('an outage', () => {
  test.use({ allowed: [/503|Failed to load/] })
  test('signs nobody out: the gate offers a retry, and goes on by itself once the server answers [spec-47]', async ({ page }) => {
    await trialSeller(page)
    await page.route('**/rest/v1/subscribers**', (route) => route.fulfill({ status: 503, json: { code: 'unavailable', message: 'down' } }))
    await page.goto('/dashboard')
    await expect(page.getByText('Your access could not be checked')).toBeVisible({ timeout: 20_000 })
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
    await page.unroute('**/rest/v1/subscribers**')
    await expect(page.getByRole('heading', { name: /^Welcome Back/ })).toBeVisible()
  })
})

test('one policy a route: where each kind of visitor lands, and what the server tells them [spec-48] [spec-53]', async ({
  page,
  browser,
}) => {
  test.setTimeout(120_000)
  const gated = ['/dashboard', '/dashboard/how-it-works', '/dashboard/ai-lab', '/dashboard/content-creator', '/dashboard/operon-ai']
  const landsAt = async (who: Page, from: string, to: RegExp) => {
    await who.goto(from)
    await expect(who, from).toHaveURL(to)
  }
  const nobody = await (await browser.newContext()).newPage()
  for (const path of [...gated, '/dashboard/settings']) await landsAt(nobody, path, /\/auth\/seller$/)
  await landsAt(nobody, '/buyer-dashboard', /\/auth\/buyer$/)
  for (const name of ['dashboard-stats', 'check-subscription', 'account-export', 'ai-chat']) {
    const answer = await nobody.request.post(`/functions/v1/${name}`, { headers: { apikey: 'anon' }, data: {} })
    expect([name, answer.status(), await answer.text()]).toEqual([name, 401, expect.stringContaining('Not authenticated')])
  }
  await nobody.context().close()

  for (const role of ['buyer', 'seller'] as const) {
    const unpaid = await (await browser.newContext()).newPage()
    await enter(unpaid, await newAccount(page.request, { role }), `/auth/${role}`)
    await unpaid.waitForURL(role === 'buyer' ? '**/buyer-dashboard' : '**/pricing')
    for (const path of gated) await landsAt(unpaid, path, role === 'buyer' ? /\/buyer-dashboard$/ : /\/pricing$/)
    await landsAt(unpaid, '/dashboard/settings', /\/dashboard\/settings$/)
    await landsAt(unpaid, '/buyer-dashboard', /\/buyer-dashboard$/)
    await landsAt(unpaid, '/staff', /\/staff$/)
    await expect(unpaid.getByRole('heading', { name: 'Oops! Page not found' })).toBeVisible()
    await unpaid.context().close()
  }

  await trialSeller(page)
  for (const path of gated) {
    await page.goto(path)
    await expect(page.getByRole('navigation', { name: 'Dashboard' })).toBeVisible()
    await expect(page).toHaveURL(new RegExp(`${path}$`))
  }
})

test('integrations leads to the settings, which need a session only [spec-9]', async ({ page }) => {
  await enter(page, await newAccount(page.request, { role: 'seller' }), '/dashboard/integrations')
  await page.waitForURL('**/dashboard/settings')
  await page.getByLabel('Name', { exact: true }).fill('Mara Renamed')
  await page.getByRole('button', { name: 'Save profile' }).click()
  await expect(page.getByText('Profile saved')).toBeVisible()
  await page.getByRole('tab', { name: 'Devices and log' }).click()
  await expect(page.getByText('This device')).toBeVisible()
})

test('signed out, a plan or the portal asks to log in [spec-43] [spec-12]', async ({ page }) => {
  const began = Date.now()
  await page.goto('/pricing')
  await wake(page)
  await page.getByRole('article', { name: 'Pro' }).getByRole('button', { name: 'Start 3-Day Free Trial' }).click()
  await expect(page.getByText('Please log in to select a plan')).toBeVisible()
  await page.getByRole('button', { name: 'Manage Subscription' }).click()
  await expect(page.getByText('Please log in to manage your subscription')).toBeVisible()
  await expect(page.getByText(inThirtyDays(began))).toBeVisible()
})

test('choosing a plan: checkout in a new tab, the result, the dashboard, the switch [spec-11] [spec-41] [spec-42] [spec-43]', async ({
  page,
  context,
}) => {
  test.setTimeout(90_000)
  await signUp(page, '/auth/seller')
  await page.waitForURL('**/pricing')
  const opened = context.waitForEvent('page')
  await page.getByRole('article', { name: 'Basic' }).getByRole('button', { name: 'Start 3-Day Free Trial' }).click()
  const checkout = await opened
  await payAtCheckout(checkout)
  await checkout.getByRole('link', { name: 'Go to the dashboard' }).click()
  await expect(checkout.getByRole('heading', { name: /^Welcome Back/ })).toBeVisible()
  await checkout.goto('/pricing')
  const basic = checkout.getByRole('article', { name: 'Basic' })
  await expect(basic.getByText('Current plan')).toBeVisible()
  await expect(basic.getByRole('button', { name: 'Manage Subscription' })).toBeVisible()
  await expect(checkout.getByRole('button', { name: 'Switch Plan' })).toHaveCount(2)
})
