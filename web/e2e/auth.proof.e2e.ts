import type { Page } from '@playwright/test'
import { call, enter, expect, newAccount, newEmail, password, test, trialSeller, wake } from './steps.ts'

// Every text of the error catalogue that a portal says, in its situation. `portal.proof.e2e.ts` and `operator.proof.e2e.ts` have the plain ones.

async function fillSignUp(page: Page, portal: '/auth' | '/auth/seller' | '/auth/buyer', { email = newEmail(), secret = password } = {}) {
  await page.goto(portal)
  await wake(page)
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  await page.getByLabel('Full name').fill('Mara Lindt')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.getByLabel('Confirm password').fill(secret)
  return email
}
const accept = (page: Page) => page.getByRole('checkbox', { name: /Terms of Service/ }).check()
const submit = (page: Page) => page.getByRole('button', { name: 'Sign Up' }).click()

test('without the terms, or with a weak password, nothing is sent, however the form is submitted [spec-21]', async ({ page }) => {
  await fillSignUp(page, '/auth/seller')
  let asked = 0
  await page.route('**/auth/v1/signup*', (route) => {
    asked++
    return route.continue()
  })
  await expect(page.getByRole('button', { name: 'Sign Up' })).toBeDisabled()
  // The button is asleep; a password manager or an extension may submit all the same.
  await page.evaluate(() => document.querySelector<HTMLFormElement>('form:has([name=confirm])')!.requestSubmit())
  await expect(page.getByText('Terms Required')).toBeVisible()
  await expect(page.getByText('Please accept the Terms of Service and Privacy Policy.')).toBeVisible()
  await accept(page)
  await page.getByLabel('Password', { exact: true }).fill('weak')
  await expect(page.getByRole('button', { name: 'Sign Up' })).toBeDisabled()
  await page.evaluate(() => document.querySelector<HTMLFormElement>('form:has([name=confirm])')!.requestSubmit())
  await expect(page.getByText('Password must meet all requirements')).toBeVisible()
  expect(asked).toBe(0)
  // The message stands above the form, and is scrolled into a small window.
  await page.setViewportSize({ width: 390, height: 500 })
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  await page.evaluate(() => document.querySelector<HTMLFormElement>('form:has([name=confirm])')!.requestSubmit())
  await expect(page.getByText('Password must meet all requirements')).toBeInViewport()
})

test.describe('what the server refuses', () => {
  test.use({ allowed: [/4\d\d|5\d\d|ERR_FAILED/] })

  test('an address that somebody took in between: Account already exists [spec-34]', async ({ page, request }) => {
    const email = await fillSignUp(page, '/auth/buyer')
    await accept(page)
    // Between the check of the address and the sign-up, somebody else has it.
    await page.route('**/auth/v1/signup*', async (route) => {
      const taken = await request.post('/auth/v1/signup', { data: { email, password } })
      expect(taken.status()).toBe(200)
      await route.continue()
    })
    await submit(page)
    await expect(page.getByText('Account already exists')).toBeVisible()
    await expect(page.getByText('An account with this email exists. Sign in instead.')).toBeVisible()
  })

  test('anything else: Error, in the words of the server [spec-34]', async ({ page }) => {
    await fillSignUp(page, '/auth', { secret: 'Sunnyday-42!' })
    await accept(page)
    await submit(page)
    await expect(page.getByText('Error', { exact: true })).toBeVisible()
    await expect(page.getByText(/This password has leaked from another site/)).toBeVisible()
  })

  test('anything else that has no words: An unexpected error occurred [spec-34]', async ({ page }) => {
    await fillSignUp(page, '/auth/seller')
    await accept(page)
    await page.route('**/auth/v1/signup*', (route) => route.fulfill({ status: 500, json: {} }))
    await submit(page)
    await expect(page.getByText('Error', { exact: true })).toBeVisible()
    await expect(page.getByText('An unexpected error occurred')).toBeVisible()
  })

  test('too many sign-ups: how long to wait, and no word of an account [spec-33]', async ({ page }) => {
    await fillSignUp(page, '/auth/seller')
    await accept(page)
    const msg = 'Request rate limit reached. Try again in 12 seconds.'
    await page.route('**/auth/v1/signup*', (route) =>
      route.fulfill({ status: 429, headers: { 'retry-after': '12' }, json: { code: 429, error_code: 'over_request_rate_limit', msg } }),
    )
    await submit(page)
    await expect(page.getByText('Too many attempts')).toBeVisible()
    await expect(page.getByText(msg)).toBeVisible()
    await expect(page.getByText('Account created successfully!')).toBeHidden()
  })

  // Other servers of this protocol answer this when the account is there and its email is not. This one sends mail by a job.
  for (const [what, status, body, note] of [
    ['a mail over its limit', 429, { error_code: 'over_email_send_rate_limit', msg: 'email rate limit exceeded' }, /may be delayed/],
    [
      'a confirmation mail that failed',
      500,
      { error_code: 'unexpected_failure', msg: 'Error sending confirmation email' },
      /try signing in/,
    ],
  ] as const)
    test(`${what}: Account created successfully! [spec-33]`, async ({ page }) => {
      await fillSignUp(page, '/auth/seller')
      await accept(page)
      await page.route('**/auth/v1/signup*', (route) => route.fulfill({ status, json: { code: status, ...body } }))
      await submit(page)
      await expect(page.getByText('Account created successfully!')).toBeVisible()
      await expect(page.getByText(note)).toBeVisible()
    })

  test('signing out while the server fails says so and signs nobody out; without its session there it does [spec-30] [spec-34]', async ({
    page,
  }) => {
    await enter(page, await newAccount(page.request, { role: 'seller' }), '/pricing')
    let status = 500
    await page.route('**/auth/v1/logout*', (route) => route.fulfill({ status, json: { code: status, msg: 'no' } }))
    const logOut = async () => {
      await page.getByRole('button', { name: 'Account menu' }).click()
      await page.getByRole('menuitem', { name: 'Log out' }).click()
    }
    await logOut()
    await expect(page.getByText('Error signing out')).toBeVisible()
    expect(await page.evaluate(() => localStorage.getItem('operon-auth'))).not.toBeNull()
    status = 403
    await logOut()
    await expect(page.getByText('Signed out successfully')).toBeVisible()
    await expect.poll(() => page.evaluate(() => localStorage.getItem('operon-auth'))).toBeNull()
  })
})

test.describe('a server that is away', () => {
  test.use({ allowed: [/ERR_FAILED|502/] })
  test('is told of in words of our own, not in those of a browser or a proxy [spec-34]', async ({ page }) => {
    await page.goto('/auth/seller')
    await wake(page)
    await page.getByLabel('Email').fill(newEmail())
    await page.getByLabel('Password', { exact: true }).fill(password)
    const signIn = page.getByRole('button', { name: 'Sign In', exact: true })
    await page.route('**/auth/v1/token**', (route) => route.abort())
    await signIn.click()
    await expect(page.getByRole('alert')).toContainText('The server could not be reached. Check your connection and try again.')
    await page.route('**/auth/v1/token**', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
    )
    await signIn.click()
    await expect(page.getByRole('alert')).toContainText('This part of the platform is not available right now.')
  })
})

test.describe('billing', () => {
  test.use({ allowed: [/502|ERR_FAILED/] })
  test('the portal and the checkout, refused and not reached, each in its words [spec-42] [spec-43]', async ({ page }) => {
    await enter(page, await newAccount(page.request, { role: 'seller' }), '/pricing')
    const billing = async () => {
      await page.getByRole('button', { name: 'Account menu' }).click()
      await page.getByRole('menuitem', { name: 'Billing' }).click()
    }
    const refused = (message: string) => ({ status: 502, json: { code: 'upstream_failed', message, detail: message } })
    await page.route('**/functions/v1/customer-portal', (route) => route.fulfill(refused('The provider did not answer.')))
    await billing()
    await expect(page.getByText('Unable to access billing portal')).toBeVisible()
    await page.unroute('**/functions/v1/customer-portal')
    await page.route('**/functions/v1/customer-portal', (route) => route.abort())
    await billing()
    await expect(page.getByText('Error accessing billing portal')).toBeVisible()
    await page.route('**/functions/v1/create-checkout', (route) => route.fulfill(refused('The provider did not answer.')))
    await page.getByRole('article', { name: 'Pro' }).getByRole('button', { name: 'Start 3-Day Free Trial' }).click()
    await expect(page.getByText('Failed to create checkout session')).toBeVisible()
  })

  test('who has a plan and does not reach the portal: Failed to access subscription management [spec-43]', async ({ page }) => {
    test.setTimeout(120_000)
    await trialSeller(page)
    await page.route('**/functions/v1/customer-portal', (route) => route.abort())
    // Pressed before the page knows who is there: that is waited for, and nobody is told to log in who is.
    const pressed = Promise.withResolvers<void>()
    await page.route(/assets\/backend-/, (route) => pressed.promise.then(() => route.continue()))
    await page.goto('/pricing')
    await page.getByRole('button', { name: 'Manage Subscription' }).first().click()
    pressed.resolve()
    await expect(page.getByText('Failed to access subscription management')).toBeVisible()
  })
})

for (const [brings, hash, why] of [
  ['only half a session', 'access_token=half&type=signup', 'No session defined in URL'],
  ['no session', 'type=signup', 'An error occurred on token verification.'],
] as const)
  test(`a link that brings ${brings}: Confirmation Error, and why [spec-25] [spec-34]`, async ({ page }) => {
    await page.goto(`/auth/buyer#${hash}`)
    await wake(page)
    await expect(page.getByText('Confirmation Error')).toBeVisible()
    await expect(page.getByText(why)).toBeVisible()
  })

test('a code that the referrer owns: the welcome names the 30 % [spec-24]', async ({ page }) => {
  test.setTimeout(120_000)
  const referrer = await newAccount(page.request, { role: 'seller' })
  let code = ''
  await expect.poll(async () => (code = (await call(page.request, referrer, 'referral-summary')).code)).toBeTruthy()
  await fillSignUp(page, `/auth?ref=${code}` as '/auth')
  await expect(page.getByText(`Referral code ${code}: 30% off your first month`)).toBeVisible()
  await accept(page)
  await submit(page)
  await expect(page.getByText('Your account is ready, with 30% off your first month.')).toBeVisible()
})
