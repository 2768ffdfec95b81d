import type { Page } from '@playwright/test'
import {
  call,
  enter,
  expect,
  expectAccessible,
  newAccount,
  newEmail,
  newTrialSeller,
  password,
  signUp,
  test,
  trialSeller,
  wake,
} from './steps.ts'

// Where a person could get stuck: a session that ended elsewhere, no network, code that does not come, another account, the wrong shell.

const bearer = (session: { access_token: string }) => ({ apikey: 'anon', authorization: `Bearer ${session.access_token}` })

/** Every session of the account ends on the server, as from another device. */
async function endElsewhere(page: Page, session: { access_token: string }) {
  const answer = await page.request.post('/auth/v1/logout?scope=global', { headers: bearer(session) })
  expect(answer.status()).toBe(204)
}

test.describe('a session that was ended elsewhere', () => {
  test.use({ allowed: [/400|401|403|4401/] })

  for (const [what, path] of [
    ['a page of the tools', '/dashboard'],
    ['the settings', '/dashboard/settings?section=devices'],
    ['a chat', '/dashboard/operon-ai'],
  ] as const)
    test(`opening ${what} leads to sign-in and says why`, async ({ page }) => {
      const session = await newTrialSeller(page)
      // The browser was closed meanwhile: nothing told it.
      await page.goto('about:blank')
      await endElsewhere(page, session)
      await page.goto(path)
      await expect(page.getByText('You were signed out on another device')).toBeVisible({ timeout: 20_000 })
      await expect(page).toHaveURL(/\/auth\/seller$/)
      expect(await page.evaluate(() => localStorage.getItem('operon-auth'))).toBeNull()
      await expect(page.getByText('did not answer')).toHaveCount(0)
    })

  test('saving the profile while the live connection is cut leads to sign-in and gives the reason', async ({ page }) => {
    await page.routeWebSocket(/.*/, (socket) => void socket.close())
    const session = await newAccount(page.request, { role: 'seller' })
    await enter(page, session, '/dashboard/settings?section=profile')
    await page.getByLabel('Name', { exact: true }).fill('Mara L.')
    await endElsewhere(page, session)
    await page.getByRole('button', { name: 'Save profile' }).click()
    await expect(page.getByText('You were signed out on another device')).toBeVisible()
    await expect(page).toHaveURL(/\/auth\/seller$/)
    await expect(page.getByText('The profile was not saved')).toHaveCount(0)
  })

  test('on a public page it is told with the way to sign in', async ({ page }) => {
    const session = await newAccount(page.request, { role: 'seller' })
    await enter(page, session, '/get-started')
    await endElsewhere(page, session)
    await page.goto('/pricing')
    await expect(page.getByText('You were signed out on another device')).toBeVisible()
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/auth')
  })
})

test.describe('without a network', () => {
  test.use({ allowed: [/ERR_INTERNET_DISCONNECTED|A part of the app could not be loaded|Failed to fetch|WebSocket/] })

  test('the shell says so, keeps what is typed, and a page whose code is missing opens by itself afterwards', async ({ page, context }) => {
    await trialSeller(page, '/dashboard/content-creator')
    const topic = page.getByRole('textbox').first()
    await topic.fill('What I had begun to write')
    await context.setOffline(true)
    await expect(page.getByText(/^You are offline\. What you type stays here/)).toBeVisible()
    await expect(topic).toHaveValue('What I had begun to write')
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Brand Builder' }).click()
    await expect(page.getByRole('heading', { name: 'You are offline' })).toBeVisible()
    await expectAccessible(page)
    await context.setOffline(false)
    await expect(page.getByRole('heading', { name: 'Brand Builder' })).toBeVisible({ timeout: 20_000 })
    await expect(page.getByText(/^You are offline/)).toHaveCount(0)
  })

  test('what is opened beside a page and does not come leaves the page and its text', async ({ page, context }) => {
    await trialSeller(page, '/dashboard/content-creator')
    const topic = page.getByRole('textbox').first()
    await topic.fill('What I had begun to write')
    await context.setOffline(true)
    await page.keyboard.press('Control+k')
    await expect(page.getByText('This could not be opened')).toBeVisible()
    await expect(topic).toHaveValue('What I had begun to write')
    await context.setOffline(false)
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('combobox')).toBeVisible()
  })
})

test.describe('code that a deploy has replaced', () => {
  test.use({ allowed: [/404|A part of the app could not be loaded/] })

  test('is answered by one reload', async ({ page }) => {
    await trialSeller(page)
    let loads = 0
    page.on('load', () => loads++)
    await page.route(/assets\/BrandPage-/, (route) => (loads ? route.continue() : route.fulfill({ status: 404, body: '' })))
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Brand Builder' }).click()
    await expect(page.getByRole('heading', { name: 'Brand Builder' })).toBeVisible({ timeout: 20_000 })
    expect(loads).toBe(1)
  })

  test('that stays away is said after that reload, and no other follows', async ({ page }) => {
    await trialSeller(page)
    await page.route(/assets\/BrandPage-/, (route) => route.fulfill({ status: 404, body: '' }))
    let loads = 0
    page.on('load', () => loads++)
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Brand Builder' }).click()
    await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible({ timeout: 30_000 })
    expect(loads).toBe(1)
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Content Creator' }).click()
    await expect(page.getByRole('heading', { name: 'Content Creator' })).toBeVisible()
  })
})

test('a buyer is never in the shell of sellers: addresses of it lead to the buyer dashboard, which explains', async ({ page }) => {
  await enter(page, await newAccount(page.request, { role: 'buyer' }), '/get-started')
  for (const path of [
    '/dashboard',
    '/dashboard/seller',
    '/dashboard/ai-lab',
    '/dashboard/how-it-works',
    '/dashboard/operon-ai?ask=hello',
  ]) {
    await page.goto(path)
    await expect(page, path).toHaveURL(/\/buyer-dashboard$/)
    await expect(page.getByText('That page belongs to the seller tools')).toBeVisible()
  }
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Account menu' }).click()
  await expect(page.getByRole('menuitem', { name: 'Dashboard', exact: true })).toHaveAttribute('href', '/buyer-dashboard')
  await page.keyboard.press('Escape')
  for (const path of ['/dashboard/settings', '/dashboard/integrations']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Dashboard' })).toHaveCount(0)
  }
  await page.goto('/buyer-dashboard')
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Become a seller' }).click()
  await page.waitForURL('**/pricing')
})

test('signing out in one tab signs out the others, which say so', async ({ page, context }) => {
  await enter(page, await newAccount(page.request, { role: 'buyer' }), '/buyer-dashboard')
  const other = await context.newPage()
  await other.goto('/dashboard/settings')
  await expect(other.getByRole('heading', { name: 'Settings' })).toBeVisible()
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(page.getByText('Signed out successfully')).toBeVisible()
  await other.waitForURL('**/auth/buyer')
  await expect(other.getByText(/^You (signed out in another tab|were signed out on another device)$/)).toBeVisible()
})

test('another account in another tab is told apart, and nothing is sent in its name', async ({ page, context }) => {
  const [first, second] = [newEmail(), newEmail()]
  await enter(page, await newAccount(page.request, { role: 'buyer', email: first }), '/dashboard/settings')
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(first)
  await newAccount(page.request, { role: 'buyer', email: second })
  const other = await context.newPage()
  // Signed out there without a word to the first tab, as when its storage is cleared.
  await other.goto('/terms-of-service')
  await other.evaluate(() => localStorage.removeItem('operon-auth'))
  await other.goto('/auth/buyer')
  await wake(other)
  await other.getByLabel('Email').fill(second)
  await other.getByLabel('Password', { exact: true }).fill(password)
  await other.getByRole('button', { name: 'Sign In', exact: true }).click()
  await other.waitForURL('**/buyer-dashboard')
  const dialog = page.getByRole('dialog', { name: `You are signed in as ${second} now` })
  await expect(dialog).toContainText(`This tab still shows ${first}`)
  await dialog.getByRole('button', { name: `Continue as ${second}` }).click()
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(second)
})

test('one’s own code is left out of the checkout with a sentence, and is forgotten [spec-17] [spec-42]', async ({ page, context }) => {
  const session = await newAccount(page.request, { role: 'seller' })
  let own = ''
  await expect.poll(async () => (own = (await call(page.request, session, 'referral-summary')).code)).toBeTruthy()
  await enter(page, session, '/pricing')
  await wake(page)
  await page.evaluate((code) => localStorage.setItem('referral_code', code), own)
  const opened = context.waitForEvent('page')
  await page.getByRole('article', { name: 'Basic' }).getByRole('button', { name: 'Start 3-Day Free Trial' }).click()
  await (await opened).waitForURL('**/sandbox/stripe/checkout/**')
  await expect(page.getByText('Your own referral code was left out')).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('referral_code'))).toBeNull()
})

test('a code that nobody has, kept from an earlier visit, is left out of the checkout with a sentence [spec-17] [spec-42]', async ({
  page,
  context,
}) => {
  await signUp(page, '/auth/seller')
  await page.waitForURL('**/pricing')
  await page.evaluate(() => localStorage.setItem('referral_code', 'NOSUCH00'))
  const opened = context.waitForEvent('page')
  await page.getByRole('article', { name: 'Basic' }).getByRole('button', { name: 'Start 3-Day Free Trial' }).click()
  await (await opened).waitForURL('**/sandbox/stripe/checkout/**')
  await expect(page.getByText('The referral code NOSUCH00 was left out')).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('referral_code'))).toBeNull()
})
