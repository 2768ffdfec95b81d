import type { Page } from '@playwright/test'
import {
  api,
  awake,
  enter,
  expect,
  expectAccessible,
  letterTo,
  newAccount,
  newEmail,
  openLetter,
  password,
  signUp,
  test,
  wake,
} from './steps.ts'

test('the general portal: Welcome, two tabs, the forgot link, four rules [spec-18] [spec-21] [spec-22]', async ({ page }) => {
  await page.goto('/auth')
  await wake(page)
  await expect(page.getByRole('heading', { name: 'Welcome' })).toBeVisible()
  await expect(page.getByRole('link', { name: /Forgot password/ })).toHaveAttribute('href', '/forgot-password')
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  const rules = page.getByRole('list', { name: 'Password requirements' }).getByRole('listitem')
  await expect(rules).toHaveText([
    /^At least 8 characters long/,
    /^At least one uppercase letter/,
    /^At least one lowercase letter/,
    /^At least one special character/,
  ])
  await page.getByLabel('Password', { exact: true }).fill('Aa!')
  await expect(rules.nth(0)).toHaveAttribute('data-holds', 'false')
  await expect(rules.nth(1)).toHaveAttribute('data-holds', 'true')
  await expect(rules.nth(3)).toHaveAttribute('data-holds', 'true')
  // Only the terms disable the button here; a weak password is refused in words.
  const submit = page.getByRole('button', { name: 'Sign Up' })
  await expect(submit).toBeDisabled()
  await page.getByRole('checkbox', { name: /Terms of Service/ }).check()
  await expect(submit).toBeEnabled()
  await page.getByLabel('Full name').fill('Mara')
  await page.getByLabel('Email').fill(newEmail())
  await page.getByLabel('Confirm password').fill('Aa!')
  await submit.click()
  await expect(page.getByText('Password Requirements Not Met')).toBeVisible()
})

test('the seller portal: five rules, the match shown live, the button waits for both [spec-19] [spec-21] [spec-22]', async ({ page }) => {
  await page.goto('/auth/seller')
  await wake(page)
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  await expect(page.getByRole('list', { name: 'Password requirements' }).getByRole('listitem')).toHaveCount(5)
  const submit = page.getByRole('button', { name: 'Sign Up' })
  await page.getByRole('checkbox', { name: /Terms of Service/ }).check()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill('other')
  await expect(page.getByText("Passwords don't match")).toBeVisible()
  await expect(submit).toBeDisabled()
  await page.getByLabel('Confirm password').fill(password)
  await expect(page.getByText("Passwords don't match")).toBeHidden()
  await expect(submit).toBeEnabled()
})

test('signing up at the buyer portal lands on the buyer dashboard, and the portal leads there again [spec-24] [spec-28] [spec-106]', async ({
  page,
}) => {
  await signUp(page, '/auth/buyer')
  await page.waitForURL('**/buyer-dashboard')
  for (const name of ['Orders', 'Wishlist', 'Reviews', 'Searches'])
    await expect(page.getByRole('main').getByRole('link', { name: new RegExp(`^${name} 0`) })).toBeVisible()
  await page.goto('/auth/buyer')
  await page.waitForURL('**/buyer-dashboard')
  // The role is stored once: another portal does not change it.
  await page.goto('/auth/seller')
  await page.waitForURL('**/buyer-dashboard')
})

test('a new seller is sent to the plans, and signs out everywhere [spec-26] [spec-46] [spec-52]', async ({ page }) => {
  await signUp(page, '/auth/seller')
  await page.waitForURL('**/pricing')
  await expect(page.getByRole('button', { name: 'Start 3-Day Free Trial' })).toHaveCount(3)
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(page.getByText('Signed out successfully')).toBeVisible()
  await expect(page).toHaveURL(/\/$/)
  await expect(page.getByText('You were signed out on another device')).toHaveCount(0)
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('operon-auth')))).toEqual([])
})

test.describe('refusals', () => {
  test.use({ allowed: [/400|422|406|401/] })
  test('a wrong password: a red alert at the portal, a toast at /auth [spec-18] [spec-19] [spec-20]', async ({ page }) => {
    const nobody = newEmail()
    for (const path of ['/auth/seller', '/auth']) {
      await page.goto(path)
      await wake(page)
      await page.getByLabel('Email').fill(nobody)
      await page.getByLabel('Password', { exact: true }).fill('Wrong-pass 1!')
      await page.getByRole('button', { name: 'Sign In', exact: true }).click()
      await expect(page.getByText('Invalid credentials')).toBeVisible()
    }
  })

  test('an address that has an account is told before sign-up [spec-23] [spec-34]', async ({ page, request }) => {
    const email = newEmail()
    await newAccount(request, { role: 'buyer', email })
    await signUp(page, '/auth/buyer', email)
    await expect(page.getByText('Email already registered')).toBeVisible()
  })
})

test('a referral code is kept, explained and gone after sign-in [spec-17]', async ({ page }) => {
  await page.goto('/auth?ref=NOSUCHCODE')
  await expect(page.getByText(/NOSUCHCODE is not known here/)).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('referral_code'))).toBe('NOSUCHCODE')
  await signUp(page, '/auth/buyer')
  await page.waitForURL('**/buyer-dashboard')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('referral_code'))).toBeNull()
})

test('what cannot be a code is told of, and neither kept nor asked about [spec-17]', async ({ page }) => {
  await page.goto('/auth?ref=%3Cb%3Enot%20a%20code')
  await expect(page.getByText(/<b>not a code is not known here/)).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('referral_code'))).toBeNull()
})

test('a portal of any other kind is the one of sellers, with the code it came with [spec-19]', async ({ page }) => {
  await page.goto('/auth/merchant?ref=NOSUCHCODE')
  await page.waitForURL('**/auth/seller?ref=NOSUCHCODE')
  await expect(page.getByText('Your seller account: the dashboard and every tool.')).toBeVisible()
})

test('keyboard alone: from the front page through sign-up and checkout into the dashboard [spec-8] [spec-10] [spec-19] [spec-42]', async ({
  page,
  context,
}) => {
  test.setTimeout(180_000)
  const to = async (on: Page, name: RegExp) => {
    for (let presses = 0; presses < 60; presses++) {
      await on.keyboard.press('Tab')
      const at = await on.evaluate(() => {
        const element = document.activeElement as HTMLInputElement | null
        return element?.ariaLabel ?? element?.labels?.[0]?.textContent ?? element?.textContent ?? ''
      })
      if (name.test(at.trim())) return
    }
    throw new Error(`The keyboard does not reach ${name}`)
  }
  await page.goto('/')
  await to(page, /^Get Started$/)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/get-started')
  await to(page, /^Seller/)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/auth/seller')
  await to(page, /^Sign In$/)
  await awake(page)
  await page.keyboard.press('ArrowRight')
  for (const [label, text] of [
    [/^Full name/, 'Keyboard Person'],
    [/^Email/, newEmail()],
    [/^Password/, password],
    [/^Confirm password/, password],
  ] as const) {
    await to(page, label)
    await page.keyboard.type(text)
  }
  await to(page, /^I accept the/)
  await page.keyboard.press('Space')
  await to(page, /^Sign Up$/)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/pricing')
  // Until the plan is known the buttons wait, and Tab leaves them out.
  await expect(page.getByRole('button', { name: /^Start 3-Day Free Trial/ }).first()).toBeEnabled()
  const opened = context.waitForEvent('page')
  await to(page, /^Start 3-Day Free Trial$/)
  await page.keyboard.press('Enter')
  const checkout = await opened
  await checkout.waitForURL('**/sandbox/stripe/checkout/**')
  for (const [label, text] of [
    [/^Card number/, '4242424242424242'],
    [/^Expires/, '12/34'],
    [/^CVC/, '123'],
    [/^Name on the card/, 'Keyboard Person'],
  ] as const) {
    await to(checkout, label)
    await checkout.keyboard.type(text)
  }
  await checkout.keyboard.press('Enter')
  await expect(checkout.getByRole('heading', { name: 'Basic is on.' })).toBeVisible({ timeout: 20_000 })
  await to(checkout, /^Go to the dashboard$/)
  await checkout.keyboard.press('Enter')
  await expect(checkout.getByRole('heading', { name: 'Welcome Back, Keyboard Person!' })).toBeVisible()
})

test('a forgotten password: the same answer for everybody, a link that works once, other devices signed out [spec-3]', async ({
  page,
  browser,
}) => {
  const email = newEmail()
  await newAccount(page.request, { role: 'buyer', email })

  const ask = async (address: string) => {
    await page.goto('/forgot-password')
    await wake(page)
    await page.getByLabel('Email').fill(address)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await expect(page.getByText(`If ${address} has an account, a link is on its way.`)).toBeVisible()
  }
  await ask(newEmail())
  await ask(email)
  const link = await letterTo(page, email, /password/i)
  await openLetter(page, link)
  await page.waitForURL('**/reset-password**')
  const next = 'Rainy-night 77?'
  await page.getByLabel('New password', { exact: true }).fill(next)
  await page.getByLabel('Confirm password').fill('something else')
  await page.getByRole('button', { name: 'Save the password' }).click()
  await expect(page.getByText("Passwords don't match")).toBeVisible()
  await page.getByLabel('Confirm password').fill(next)
  await page.getByRole('button', { name: 'Save the password' }).click()
  await expect(page.getByText('Other devices have been signed out, and your API keys have ended.')).toBeVisible()
  await page.waitForURL('**/buyer-dashboard')

  const late = await (await browser.newContext()).newPage()
  await late.goto(link)
  await expect(late.getByRole('heading', { name: 'Confirmation Error' })).toBeVisible()
  await expect(late.getByRole('button', { name: 'Send again' })).toBeVisible()
  await late.context().close()
})

test('the reset page takes a session that no reset link began only with the current password [spec-3]', async ({ page, allowed }) => {
  allowed.push(/400/)
  const email = newEmail()
  await enter(page, await newAccount(page.request, { role: 'buyer', email }), '/reset-password')
  await wake(page)
  const next = 'Rainy-night 77?'
  const save = page.getByRole('button', { name: 'Save the password' })
  const current = page.getByLabel('Current password')
  await page.getByLabel('New password', { exact: true }).fill(next)
  await page.getByLabel('Confirm password').fill(next)
  await save.click()
  await expect(current).toBeFocused()
  await current.fill('Not-the-one 11!')
  await save.click()
  await expect(page.getByText('The current password is not right.')).toBeVisible()
  expect(await signsIn(page, email, next)).toBe(false)

  await current.fill(password)
  await save.click()
  await expect(page.getByText('Other devices have been signed out.')).toBeVisible()
  await page.waitForURL('**/buyer-dashboard')
  expect(await signsIn(page, email, password)).toBe(false)
  expect(await signsIn(page, email, next)).toBe(true)
})

test('after the hour of a reset link the reset page says so, and takes the current password or sends a new link [spec-3]', async ({
  page,
  allowed,
}) => {
  allowed.push(/400/)
  const email = newEmail()
  await newAccount(page.request, { role: 'buyer', email })
  await page.goto('/forgot-password')
  await wake(page)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await openLetter(page, await letterTo(page, email, /password/i))
  await page.waitForURL('**/reset-password**')
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible()
  // The first proof of an address ends the password that was set before it.
  const token = await page.evaluate(() => JSON.parse(localStorage.getItem('operon-auth')!).access_token)
  await page.request.put('/auth/v1/user', { headers: { ...api, authorization: `Bearer ${token}` }, data: { password } })
  // The first answer is the one that such a session gets.
  let asked = 0
  await page.route('**/auth/v1/user*', (route) => {
    if (route.request().method() !== 'PUT' || asked++) return route.continue()
    const msg = 'Reauthentication is required to update email or password'
    return route.fulfill({ status: 400, json: { code: 400, error_code: 'reauthentication_needed', msg } })
  })
  const next = 'Rainy-night 77?'
  await page.getByLabel('New password', { exact: true }).fill(next)
  await page.getByLabel('Confirm password').fill(next)
  const save = page.getByRole('button', { name: 'Save the password' })
  await save.click()
  await expect(page.getByText('Your reset link has expired')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Email me a link' })).toHaveAttribute('href', '/forgot-password')
  await expectAccessible(page)
  await page.getByLabel('Current password').fill(password)
  await save.click()
  await page.waitForURL('**/buyer-dashboard')
  expect(await signsIn(page, email, next)).toBe(true)
})

const signsIn = async (page: Page, email: string, typed: string) =>
  (await page.request.post('/auth/v1/token?grant_type=password', { headers: api, data: { email, password: typed } })).ok()
