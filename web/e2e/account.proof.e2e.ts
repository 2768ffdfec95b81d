import { readFileSync } from 'node:fs'
import type { Page, Route } from '@playwright/test'
import {
  api,
  call,
  codeTo,
  enter,
  expect,
  expectAccessible,
  inThirtyDays,
  letterTo,
  newAccount,
  newEmail,
  openLetter,
  password,
  signUp,
  test,
  totp,
  wake,
} from './steps.ts'

// Everything a person does with the account itself, in settings and at the portals.

async function settled(page: Page, section = '') {
  const email = newEmail()
  const session = await newAccount(page.request, { role: 'buyer', email })
  await enter(page, session, `/dashboard/settings${section && `?section=${section}`}`)
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
  return email
}

async function signIn(page: Page, email: string) {
  await page.goto('/auth/buyer')
  await wake(page)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
}

async function consent(page: Page, label: string, email: string) {
  await expect(page.getByRole('heading', { name: `Sign in with ${label}` })).toBeVisible()
  await page.getByLabel('Or another email address').fill(email)
  await page.getByLabel('Name').fill('Mara Lindt')
  await page.getByRole('button', { name: 'Approve' }).click()
}

/** The first answer is the one that a session of more than ten minutes gets. */
function oldSession() {
  let asked = 0
  return (route: Route) =>
    asked++ ? route.continue() : route.fulfill({ status: 403, json: { code: 'aal2_required', detail: 'Confirm it is you to continue' } })
}

test.describe('a second factor', () => {
  test.use({ allowed: [/400|401|403|422/] })
  test('is enrolled by its picture, asked for at sign-in and before an export; a recovery code opens the account once [spec-9] [spec-18] [spec-32]', async ({
    page,
    browser,
  }) => {
    test.setTimeout(90_000)
    const email = await settled(page, 'security')
    await page.getByRole('button', { name: 'Add an authenticator' }).click()
    const enrol = page.getByRole('dialog', { name: 'Add an authenticator' })
    const picture = enrol.getByRole('img', { name: 'QR code for the authenticator app' })
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth)).toBeGreaterThan(40)
    const secret = await enrol.getByRole('textbox', { name: 'Setup key' }).inputValue()
    await expectAccessible(page)
    await enrol.getByLabel('Six-digit code').fill(totp(secret))
    await enrol.getByRole('button', { name: 'Turn it on' }).click()
    const shown = page.getByRole('dialog', { name: 'Your recovery codes' })
    await expect(shown.getByRole('listitem')).toHaveCount(10)
    const recovery = (await shown.getByRole('listitem').first().textContent()) ?? ''
    await shown.getByRole('button', { name: 'I have saved them' }).click()
    await expect(page.getByText('The authenticator is on')).toBeVisible()

    const other = await (await browser.newContext()).newPage()
    await signIn(other, email)
    await expect(other.getByLabel('Six-digit code')).toBeVisible()
    // A sign-in that stopped half-way goes on where it stopped, whichever door it tries.
    for (const [door, portal] of [
      ['/buyer-dashboard', '/auth/buyer'],
      ['/dashboard', '/auth/seller'],
      ['/staff', '/auth'],
      ['/pricing', '/auth'],
      ['/referrals', '/auth'],
      ['/dashboard/settings?section=data', '/auth/seller'],
    ] as const) {
      await other.goto(door)
      await other.waitForURL(`**${portal}`)
      await expect(other.getByLabel('Six-digit code')).toBeVisible()
    }
    // A public page knows nobody yet, and its Login leads to the code.
    await other.goto('/')
    await wake(other)
    await expect(other.getByRole('button', { name: /Account menu/ })).toHaveCount(0)
    await other.getByRole('link', { name: 'Login' }).click()
    await expect(other.getByLabel('Six-digit code')).toBeVisible()
    await other.goto('/auth/buyer')
    await other.getByLabel('Six-digit code').fill('000000')
    await other.getByRole('button', { name: 'Continue' }).click()
    await expect(other.getByText('The code was not accepted')).toBeVisible()
    await other.getByLabel('Six-digit code').fill(totp(secret, 1))
    await other.getByRole('button', { name: 'Continue' }).click()
    await other.waitForURL('**/buyer-dashboard')
    await other.context().close()

    const third = await (await browser.newContext()).newPage()
    await signIn(third, email)
    await third.getByRole('button', { name: 'Use a recovery code' }).click()
    await third.getByLabel('Recovery code').fill(recovery)
    await third.getByRole('button', { name: 'Continue' }).click()
    await third.waitForURL('**/buyer-dashboard')
    await third.context().close()
    const fourth = await (await browser.newContext()).newPage()
    await signIn(fourth, email)
    await fourth.getByRole('button', { name: 'Use a recovery code' }).click()
    await fourth.getByLabel('Recovery code').fill(recovery)
    await fourth.getByRole('button', { name: 'Continue' }).click()
    await expect(fourth.getByText('The code was not accepted')).toBeVisible()
    await fourth.getByRole('button', { name: 'Sign in as someone else' }).click()
    await expect(fourth.getByRole('tab', { name: 'Sign In' })).toBeVisible()
    await fourth.context().close()

    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expect(page.getByText('Second factor removed')).toBeVisible()
  })

  test('is added in an old session after the password, which begins another one: its recovery codes are shown, nobody is signed out [spec-9]', async ({
    page,
  }) => {
    const ready = page
      .waitForEvent('websocket')
      .then((socket) => socket.waitForEvent('framereceived', ({ payload }) => /"ready"/.test(String(payload))))
    await settled(page, 'security')
    await ready
    let asked = 0
    await page.route('**/auth/v1/factors', (route) =>
      asked++
        ? route.continue()
        : route.fulfill({ status: 400, json: { code: 'reauthentication_needed', error_code: 'reauthentication_needed', msg: 'Prove it' } }),
    )
    await page.getByRole('button', { name: 'Add an authenticator' }).click()
    const proof = page.getByRole('dialog', { name: 'Confirm it is you' })
    await proof.getByLabel('Password', { exact: true }).fill(password)
    await proof.getByRole('button', { name: 'Continue' }).click()
    const enrol = page.getByRole('dialog', { name: 'Add an authenticator' })
    const secret = await enrol.getByRole('textbox', { name: 'Setup key' }).inputValue()
    await enrol.getByLabel('Six-digit code').fill(totp(secret))
    await enrol.getByRole('button', { name: 'Turn it on' }).click()
    await expect(page.getByRole('dialog', { name: 'Your recovery codes' }).getByRole('listitem')).toHaveCount(10)
    await expect(page).toHaveURL(/section=security$/)
  })
})

test('every provider signs in through its consent page, and the account is the same again [spec-18] [spec-24]', async ({
  page,
  browser,
}) => {
  test.setTimeout(90_000)
  for (const [name, label] of [
    ['Google', 'Google'],
    ['Facebook', 'Facebook'],
    ['GitHub', 'GitHub'],
    ['Microsoft', 'Microsoft'],
  ] as const) {
    const email = newEmail()
    const own = name === 'Google' ? page : await (await browser.newContext()).newPage()
    await own.goto('/auth/buyer')
    await wake(own)
    await own.getByRole('button', { name: `Continue with ${name}` }).click()
    await consent(own, label, email)
    await own.waitForURL('**/buyer-dashboard')
    await expect(own.getByRole('heading', { name: 'Welcome, Mara Lindt' })).toBeVisible()
    if (own !== page) await own.context().close()
  }
})

test.describe('a provider that is refused', () => {
  test.use({ allowed: [/403|422/] })
  test('says so at the portal [spec-18]', async ({ page }) => {
    await page.goto('/auth/seller')
    await wake(page)
    await page.getByRole('button', { name: 'Continue with GitHub' }).click()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL('**/auth/seller**')
    await expect(page.getByText('The user denied the request')).toBeVisible()
  })
})

test('a provider is connected in the settings and taken away again; the last way in stays [spec-9]', async ({ page }) => {
  const email = await settled(page, 'security')
  const ways = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Connected sign-ins' }) })
  await expect(ways.getByRole('button', { name: 'Remove' })).toHaveCount(0)
  await ways.getByRole('listitem').filter({ hasText: 'GitHub' }).getByRole('button', { name: 'Connect' }).click()
  await consent(page, 'GitHub', `github-${email}`)
  await page.waitForURL('**/dashboard/settings**')
  const github = ways.getByRole('listitem').filter({ hasText: 'GitHub' })
  await expect(github).toContainText(`github-${email}`)
  await github.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('Sign-in removed')).toBeVisible()
  await expect(ways.getByRole('button', { name: 'Remove' })).toHaveCount(0)
})

test.describe('something sensitive in an old session', () => {
  test.use({ allowed: [/403|400/] })
  test('asks for the password, then goes on: the export [spec-9]', async ({ page }) => {
    const email = await signUp(page, '/auth/buyer')
    await page.waitForURL('**/buyer-dashboard')
    const session = await page.evaluate(() => JSON.parse(localStorage.getItem('operon-auth')!))
    // Each tool hears of the account by an event of its own.
    await expect
      .poll(async () => (await call(page.request, session, 'account-export')).services)
      .toMatchObject({ billing: { accounts: [{ email }] }, marketplace: { profiles: [{ display_name: 'Mara Lindt' }] } })
    await page.goto('/dashboard/settings?section=data')
    await page.route('**/functions/v1/account-export-begin', oldSession())
    await page.getByRole('button', { name: 'Export my data' }).click()
    const proof = page.getByRole('dialog', { name: 'Confirm it is you' })
    await proof.getByLabel('Password', { exact: true }).fill('Not-it 123!')
    await proof.getByRole('button', { name: 'Continue' }).click()
    await expect(proof.getByText('Not accepted')).toBeVisible()
    await proof.getByLabel('Password', { exact: true }).fill(password)
    await proof.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByText(/^Ready: /)).toBeVisible({ timeout: 30_000 })
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download', exact: true }).click()
    const file = await download
    expect(file.suggestedFilename()).toMatch(/^operon-account-\d{4}-\d\d-\d\d\.json$/)
    const kept = JSON.parse(readFileSync(await file.path(), 'utf8'))
    expect(kept).toMatchObject({
      home_role: { role: 'buyer' },
      sign_up: { record: { accept_terms: true, terms_version: '1.0', terms_accepted_at: expect.any(String) } },
      user: { email, user_metadata: { terms_version: '1.0', accept_terms: true } },
      services: { billing: { accounts: [{ email }] }, marketplace: { profiles: [{ display_name: 'Mara Lindt' }] } },
    })
    // Row 13: the version, and with it when and from where.
    expect(kept.audit.find((entry: { action: string }) => entry.action === 'user_signedup')).toMatchObject({
      ip: expect.any(String),
      at: expect.any(String),
    })
  })
})

test.describe('a session that is ended from another device', () => {
  test('is signed out at once, and says why [spec-9] [spec-30]', async ({ page, browser }) => {
    const ready = page
      .waitForEvent('websocket')
      .then((socket) => socket.waitForEvent('framereceived', ({ payload }) => /"ready"/.test(String(payload))))
    const email = await settled(page)
    await ready
    const other = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
    await signIn(other, email)
    await other.waitForURL('**/buyer-dashboard')
    await other.goto('/dashboard/settings?section=devices')
    await other.getByRole('button', { name: 'Sign out' }).click()
    await expect(page.getByText('You were signed out on another device')).toBeVisible()
    await expect(page).toHaveURL(/\/auth\/buyer$/)
    await expect.poll(() => page.evaluate(() => localStorage.getItem('operon-auth'))).toBeNull()
    await expect(other.getByText('This device')).toBeVisible()
    await other.context().close()
  })
})

test.describe('a session of more than a day', () => {
  test.use({ allowed: [/400/] })
  test('changes the password with a code from the mail, and the other devices are out [spec-9]', async ({ page, request }) => {
    const email = await settled(page, 'security')
    // The first answer is the one that such a session gets.
    let asked = 0
    await page.route('**/auth/v1/user*', (route) => {
      if (route.request().method() !== 'PUT' || asked++) return route.continue()
      const msg = 'Password update requires reauthentication'
      return route.fulfill({ status: 400, json: { code: 400, error_code: 'reauthentication_needed', msg } })
    })
    await page.getByLabel('New password').fill('An-other-day 43!')
    await page.getByLabel('Confirm password').fill('An-other-day 43!')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText(`we sent a code to ${email}`)).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
    const inbox = async () => (await (await request.get(`/sandbox/api/inbox?to=${encodeURIComponent(email)}`)).json()).messages
    await expect.poll(async () => (await inbox()).some(({ subject }: { subject: string }) => /is your \w+ code$/.test(subject))).toBe(true)
    const code = /\b\d{6}\b/.exec((await inbox()).find(({ subject }: { subject: string }) => /is your \w+ code$/.test(subject)).subject)![0]
    await page.getByLabel('Six-digit code').fill(code)
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText('Your password has changed')).toBeVisible()
  })
})

test('an account without an address is saved by its name, and gets an address once that is proven', async ({ page, request }) => {
  const phone = `+4917${String(Date.now()).slice(-9)}`
  await request.post('/auth/v1/otp', { headers: api, data: { phone } })
  const token = await codeTo(page, phone, /./)
  const session = await (await request.post('/auth/v1/verify', { headers: api, data: { type: 'sms', phone, token } })).json()
  await enter(page, session, '/dashboard/settings')
  await page.getByLabel('Name', { exact: true }).fill('Mara Lindt')
  await page.getByRole('button', { name: 'Save profile' }).click()
  await expect(page.getByText('Profile saved')).toBeVisible()
  const email = newEmail()
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByRole('button', { name: 'Save profile' }).click()
  await expect(page.getByText(`Open the link we sent to ${email} to add this address.`)).toBeVisible()
  await page.getByLabel(`Code sent to ${email}`).fill(await codeTo(page, email, /./))
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await expect(page.getByText('Your email address has changed')).toBeVisible()
  await expect(page.getByText(/^Your email becomes/)).toHaveCount(0)
})

test('an address changes when both the old and the new one agree [spec-9] [spec-25]', async ({ page }) => {
  const email = await settled(page)
  const next = newEmail()
  await page.getByLabel('Email', { exact: true }).fill(next)
  await page.getByRole('button', { name: 'Save profile' }).click()
  await expect(page.getByText(/the address changes when both are confirmed/)).toBeVisible()
  await openLetter(page, await letterTo(page, email, /Confirm the change/))
  await expect(page.getByText(/confirm link sent to the other email/i)).toBeVisible()
  await openLetter(page, await letterTo(page, next, /new email/))
  await expect(page.getByText('Your email address has changed')).toBeVisible()
  await page.waitForURL('**/buyer-dashboard')
  await page.goto('/dashboard/settings')
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(next)
})

test('a deleted account is named before it goes, logs nothing, and cannot sign in again [spec-9]', async ({ page, browser }) => {
  const began = Date.now()
  const email = await settled(page, 'data')
  await page.getByRole('button', { name: 'Delete account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete this account?' })
  await expect(dialog.getByRole('button', { name: 'Delete account' })).toBeDisabled()
  await dialog.getByLabel(`Type ${email} to confirm`).fill(email)
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await expect(page.getByRole('heading', { name: 'Your account is deleted.' })).toBeVisible()
  await expect(page.getByText(/erases what it held about you by/)).toHaveText(inThirtyDays(began))
  await expect(page.getByText('You were signed out on another device')).toHaveCount(0)
  await expectAccessible(page)
  const other = await (await browser.newContext()).newPage()
  await signIn(other, email)
  await expect(other.getByText('Invalid credentials')).toBeVisible()
  await other.context().close()
})

test.describe('an account without a password', () => {
  test.use({ allowed: [/403/] })
  test('confirms by a code in the mail [spec-9]', async ({ page }) => {
    const email = newEmail()
    await page.goto('/auth/buyer')
    await wake(page)
    await page.getByRole('button', { name: 'Continue with Google' }).click()
    await consent(page, 'Google', email)
    await page.waitForURL('**/buyer-dashboard')
    await page.goto('/dashboard/settings?section=data')
    await page.route('**/functions/v1/account-export-begin', oldSession())
    await page.getByRole('button', { name: 'Export my data' }).click()
    const proof = page.getByRole('dialog', { name: 'Confirm it is you' })
    await proof.getByLabel(/The code we sent to/).fill(await codeTo(page, email))
    await proof.getByRole('button', { name: 'Continue' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download', exact: true }).click({ timeout: 30_000 })
    await download
  })
})
