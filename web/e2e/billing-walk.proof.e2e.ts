import { readFile } from 'node:fs/promises'
import type { APIRequestContext, Page } from '@playwright/test'
import { shotsOf } from './shots.ts'
import { api, expect, inThirtyDays, later, newEmail, password, signUp, staffEmail, test, trialSeller, wake } from './steps.ts'

// The whole of billing as a person sees it.
const ASKS = '4000002500003155'
const DECLINED = '4000000000000002'

const shot = shotsOf('billing-walk')
const plan = (page: Page, name: string) => page.getByRole('article', { name })
async function plansShow(page: Page, status: string) {
  await expect(async () => {
    await page.goto('/pricing')
    await expect(page.locator('section', { hasText: 'Subscription' }).getByText(status, { exact: true })).toBeVisible({ timeout: 8000 })
  }).toPass({ timeout: 40_000 })
}
async function inNewTab(page: Page, press: () => Promise<void>, url: string) {
  const opened = page.context().waitForEvent('page')
  await press()
  const tab = await opened
  await tab.waitForURL(url)
  return tab
}

/** Somebody whose code the walker comes with. */
async function referrer(request: APIRequestContext) {
  const email = newEmail()
  const { access_token, refresh_token } = await (await request.post('/auth/v1/signup', { headers: api, data: { email, password } })).json()
  const headers = { ...api, authorization: `Bearer ${access_token}` }
  const call = async (name: string, data: object = {}) => (await request.post(`/functions/v1/${name}`, { headers, data })).json()
  let code = ''
  await expect(async () => {
    code = (await call('referral-summary')).code
    expect(code).toBeTruthy()
  }).toPass({ timeout: 20_000 })
  return { email, code, access_token, refresh_token, call }
}

async function signIn(page: Page, email: string) {
  await page.goto('/auth')
  await wake(page)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('operon-auth'))).toBeTruthy()
  await expect(page.getByText('Signing you in')).toHaveCount(0)
}

test('billing from the landing page to its last day, with a friend’s code [spec-11] [spec-12] [spec-17] [spec-37] [spec-38] [spec-40] [spec-41] [spec-42] [spec-43] [spec-46]', async ({
  page,
  request,
  browser,
  baseURL,
}) => {
  test.setTimeout(process.env.E2E_SHOTS ? 270_000 : 150_000)
  const began = Date.now()
  const friend = await referrer(request)
  let email = ''

  await test.step('sign-up with a code, and the plans', async () => {
    await page.goto(`/auth/seller?ref=${friend.code}`)
    email = await signUp(page, `/auth/seller?ref=${friend.code}` as '/auth/seller')
    await page.waitForURL('**/pricing')
    await expect(page.getByRole('button', { name: 'Start 3-Day Free Trial' })).toHaveCount(3)
    await expect(plan(page, 'Basic').getByText('5 voice agents')).toBeVisible()
    await expect(plan(page, 'Pro').getByText('Unlimited voice agents')).toBeVisible()
    await shot(page, 'plans')
  })

  await test.step('a declined card, then 3-D Secure, at 30 % off the first month', async () => {
    const checkout = await inNewTab(
      page,
      () => plan(page, 'Basic').getByRole('button', { name: 'Start 3-Day Free Trial' }).click(),
      '**/sandbox/stripe/checkout/**',
    )
    await expect(checkout.getByText('$34.30')).toBeVisible()
    await shot(checkout, 'checkout')
    await checkout.getByLabel('Card number').fill(DECLINED)
    await checkout.getByRole('button', { name: 'Start trial' }).click()
    await expect(checkout.getByRole('alert')).toContainText('declined')
    await shot(checkout, 'checkout-declined')
    await checkout.getByLabel('Card number').fill(ASKS)
    await checkout.getByRole('button', { name: 'Start trial' }).click()
    await checkout.waitForURL('**/authenticate')
    await shot(checkout, 'checkout-3ds')
    await checkout.getByRole('button', { name: 'Complete authentication' }).click()
    await checkout.waitForURL('**/thank-you?session_id=**')
    await expect(checkout.getByRole('heading', { name: 'Basic is on.' })).toBeVisible({ timeout: 20_000 })
    await shot(checkout, 'thank-you')
    await checkout.getByRole('link', { name: 'Go to the dashboard' }).click()
    await expect(checkout.getByRole('heading', { name: /^Welcome Back/ })).toBeVisible()
    await checkout.close()
  })

  await test.step('the plan is current, with its usage', async () => {
    await plansShow(page, 'Free trial')
    await expect(plan(page, 'Basic').getByText('Current plan')).toBeVisible()
    await expect(page.getByRole('meter', { name: 'AI prompts' })).toHaveAttribute('aria-valuemax', '1000')
    // Nothing makes agents yet: none is drawn as if it could be used.
    await expect(page.getByRole('meter', { name: 'Voice agents' })).toHaveCount(0)
    await shot(page, 'plans-trial')
  })

  await test.step('a top-up is bought, and what is left of it refunded', async () => {
    const buy = page.getByRole('button', { name: 'Buy 500 AI prompts' })
    const checkout = await inNewTab(page, () => buy.click(), '**/sandbox/stripe/checkout/**')
    await checkout.getByLabel('Card number').fill('4242424242424242')
    await checkout.getByRole('button', { name: /^Pay/ }).click()
    await checkout.waitForURL('**/thank-you?top_up=**')
    await expect(checkout.getByRole('heading', { name: '500 AI prompts added.' })).toBeVisible({ timeout: 20_000 })
    await shot(checkout, 'top-up-added')
    await checkout.close()
    await page.reload()
    await expect(page.getByText('500 of 500 AI prompts left')).toBeVisible()
    await shot(page, 'plans-top-up')
    await page.getByRole('button', { name: 'Refund $19' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Refund', exact: true }).click()
    await expect(page.getByText('0 of 500 AI prompts left')).toBeVisible()
    await expect(page.getByText('$19 refunded')).toBeVisible()
  })

  await test.step('a day before the end a mail and a notice say so, with the price that is really charged', async () => {
    await later(request, email, 2.2)
    const mails = async () =>
      (await (await request.get(`/sandbox/api/inbox?to=${encodeURIComponent(email)}`)).json()).messages as { id: string; subject: string }[]
    const find = async () => (await mails()).find(({ subject }) => subject.startsWith('Your Operon trial ends on'))?.id
    await expect.poll(find, { timeout: 45_000 }).toBeTruthy()
    await page.goto(`/sandbox/inbox?to=${encodeURIComponent(email)}`)
    await page
      .getByRole('link', { name: /^Your Operon trial ends on/ })
      .first()
      .click()
    await expect(page.locator('pre')).toContainText('Basic begins and $34.30 is charged, then $49.00 every month.')
    await shot(page, 'mail')
    await page.goto('/dashboard')
    await expect(page.getByRole('heading', { name: /^Welcome Back/ })).toBeVisible()
    await page.getByRole('button', { name: /Notifications/ }).click()
    await expect(page.getByText('Your free trial ends soon')).toBeVisible()
    await shot(page, 'notice', { fullPage: false })
    await page.keyboard.press('Escape')
  })

  await test.step('paid, switched with its cost shown first', async () => {
    await later(request, email, 1)
    await plansShow(page, 'Active')
    await expect(page.getByRole('row', { name: /\$34\.30 paid/ })).toBeVisible()
    await plan(page, 'Pro').getByRole('button', { name: 'Switch Plan' }).click()
    const dialog = page.getByRole('dialog', { name: 'Switch to Pro' })
    await expect(dialog.getByRole('row', { name: /Due now/ })).toBeVisible()
    await shot(page, 'switch', { fullPage: false })
    await dialog.getByRole('button', { name: 'Switch Plan' }).click()
    await expect(plan(page, 'Pro').getByText('Current plan')).toBeVisible()
    await plan(page, 'Basic').getByRole('button', { name: 'Switch Plan' }).click()
    await expect(
      page.getByRole('dialog', { name: 'Switch to Basic' }).getByRole('row', { name: /^Nothing due today\. Due on .+/ }),
    ).toBeVisible()
    await shot(page, 'switch-down', { fullPage: false })
    await page.getByRole('button', { name: 'Keep my plan' }).click()
    await shot(page, 'plans-active')
  })

  await test.step('the portal and an invoice', async () => {
    const portal = await inNewTab(
      page,
      () => plan(page, 'Pro').getByRole('button', { name: 'Manage Subscription' }).click(),
      '**/sandbox/stripe/portal/**',
    )
    await portal.getByText('Change the card').click()
    await shot(portal, 'portal')
    await portal
      .getByRole('link', { name: /-000\d$/ })
      .first()
      .click()
    await expect(portal.getByRole('heading', { name: /^Invoice/ })).toBeVisible()
    await shot(portal, 'invoice')
    await portal.close()
    const [statement] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()])
    expect(statement.suggestedFilename()).toMatch(/^statement-\d{4}-\d{2}\.csv$/)
    const [head, ...rows] = (await readFile(await statement.path(), 'utf8')).trim().split('\r\n')
    expect(head).toBe('date,reference,type,description,amount,currency')
    expect(rows.some((row) => row.includes(',charge,') && row.endsWith(',34.30,usd'))).toBe(true)
  })

  await test.step('cancelled, taken back, cancelled, and closed at the end', async () => {
    const cancel = async (look = async () => {}) => {
      await page.getByRole('button', { name: 'Cancel', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Cancel Pro?' })
      await expect(dialog).toBeVisible()
      await look()
      await dialog.getByRole('button', { name: 'Cancel Pro' }).click()
      await expect(page.getByText('Ends on', { exact: true })).toBeVisible()
    }
    await cancel(() => shot(page, 'cancel', { fullPage: false }))
    await page.getByRole('button', { name: 'Keep Pro' }).click()
    await expect(page.getByText('Next billing date', { exact: true })).toBeVisible()
    await cancel()
    await later(request, email, 31.5)
    await expect(async () => {
      await page.goto('/dashboard')
      await page.waitForURL('**/pricing', { timeout: 3000 })
    }).toPass({ timeout: 20_000 })
    await expect(page.getByText('Current plan')).toHaveCount(0)
    // The trial was used: nothing offers it again.
    await expect(page.getByText('Your free trial was used before')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Start 3-Day Free Trial' })).toHaveCount(0)
    await expect(plan(page, 'Pro').getByRole('button', { name: 'Subscribe to Pro' })).toBeVisible()
    await expect(page.getByText(inThirtyDays(began))).toBeVisible()
    await shot(page, 'plans-ended')
  })

  await test.step('the referrer’s page', async () => {
    const theirs = await (await browser.newContext({ baseURL: baseURL! })).newPage()
    await signIn(theirs, friend.email)
    await theirs.goto('/referrals')
    await expect(theirs.getByRole('row', { name: /\$10\.29 (waiting|credited)/ })).toBeVisible()
    await shot(theirs, 'referrals')
    await theirs.context().close()
  })

  await test.step('staff: the account as they see it', async () => {
    const desk = await (await browser.newContext({ baseURL: baseURL! })).newPage()
    await signIn(desk, staffEmail)
    await desk.goto('/staff')
    await shot(desk, 'staff-empty', { fullPage: false })
    await desk.getByRole('textbox', { name: 'Account' }).fill(email)
    await desk.getByRole('textbox', { name: 'Reason' }).fill('asked why it ended')
    await desk.getByRole('button', { name: 'Look up' }).click()
    await expect(desk.getByRole('button', { name: /^Refund ch_/ }).first()).toBeVisible()
    await shot(desk, 'staff-account')
    await desk
      .getByRole('button', { name: /^Refund ch_/ })
      .first()
      .click()
    await shot(desk, 'staff-refund', { fullPage: false })
    await desk.keyboard.press('Escape')
    await desk.getByRole('tab', { name: 'Log' }).click()
    await expect(desk.getByRole('row', { name: /asked why it ended/ }).first()).toBeVisible()
    await shot(desk, 'staff-log', { fullPage: false })
    // The account is still shown, and is not looked up again.
    await desk.getByRole('tab', { name: 'Account' }).click()
    await expect(desk.getByRole('textbox', { name: 'Account' })).toHaveValue(email)
    await expect(desk.getByRole('button', { name: /^Refund ch_/ }).first()).toBeVisible()
    await desk.context().close()
  })
})

test('in the tools a portal that answers no address is told as such [spec-43]', async ({ page }) => {
  await trialSeller(page)
  // Nothing of ours answers so: it is what the page makes of it that is looked at.
  await page.route('**/functions/v1/customer-portal', (route) => route.fulfill({ json: {} }))
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Billing' }).click()
  await expect(page.getByText('Failed to open billing portal')).toBeVisible()
  await expect(page.getByText('No billing portal URL received')).toBeVisible()
})
