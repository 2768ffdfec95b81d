import { startOwnPlatform } from './ownPlatform.ts'
import { codeTo, expect, letterTo, newEmail, openLetter, password, signUp, test, wake } from './steps.ts'

// Settings of an operator, each on a platform of its own: addresses are confirmed first, and figures of the front page are counted.
let platform: Awaited<ReturnType<typeof startOwnPlatform>>
let address: string

test.beforeAll(async () => {
  test.setTimeout(60_000)
  platform = await startOwnPlatform({
    AUTH_AUTOCONFIRM: 'false',
    LIMIT_MAIL_PER_HOUR: '1',
    LIMIT_MESSAGE_COOLDOWN_SECONDS: '0',
    LIVE_FIGURES: 'users,revenue',
  })
  address = platform.address
})
test.afterAll(() => platform?.stop())

test('figures that are counted stand in the place of what is claimed, drawn beforehand and awake; the others stay claims [spec-5]', async ({
  page,
}) => {
  // Nobody has signed up or paid here yet. The services are counted by as soon as they can be asked.
  const figure = (label: string) =>
    page
      .locator('dl > div')
      .filter({ has: page.getByText(label, { exact: true }) })
      .locator('dd')
  const counted = async () => {
    await expect(figure('active users')).toHaveText('0', { timeout: 2000 })
    await expect(figure('revenue')).toHaveText('$0', { timeout: 2000 })
  }
  await expect(async () => {
    await page.goto(address)
    await counted()
  }).toPass({ timeout: 20_000 })
  await wake(page)
  await counted()
  for (const [label, claim] of [
    ['workflows', '500K+'],
    ['uptime', '99.9%'],
    ['response', '< 2s'],
    ['integrations', '150+'],
    ['support', '24/7'],
  ] as const)
    await expect(figure(label)).toHaveText(claim)
})

test.describe('an address that is confirmed by mail', () => {
  test.use({ allowed: [/400|403/] })
  test('waits for the link, then lands in the dashboard of its portal [spec-23] [spec-24] [spec-25]', async ({ browser }) => {
    const page = await (await browser.newContext({ baseURL: address, reducedMotion: 'reduce' })).newPage()
    const email = newEmail()
    await signUp(page, '/auth/buyer', email)
    await expect(page.getByText(/^Please check your email/)).toBeVisible()
    await expect(page.getByRole('button', { name: /^Send again in \d+ s$/ })).toBeDisabled()
    // Before that the password alone is not enough.
    await page.getByRole('tab', { name: 'Sign In' }).click()
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign In', exact: true }).click()
    await expect(page.getByText('Email not confirmed')).toBeVisible()
    const link = await letterTo(page, email, /Confirm your email/)
    await openLetter(page, link)
    await expect(page.getByText('Email confirmed', { exact: true })).toBeVisible()
    await page.waitForURL('**/buyer-dashboard')
    await page.context().close()

    // The link works once.
    const again = await (await browser.newContext({ baseURL: address })).newPage()
    await again.goto(link)
    await wake(again)
    await expect(again.getByText('Confirmation Error')).toBeVisible()
    await again.context().close()
  })

  test('takes the code of the letter in the place of its link [spec-23] [spec-25]', async ({ browser }) => {
    const page = await (await browser.newContext({ baseURL: address, reducedMotion: 'reduce' })).newPage()
    const email = newEmail()
    await signUp(page, '/auth/buyer', email)
    await page.getByLabel('Six-digit code').fill(await codeTo(page, email, /Confirm your email/))
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
    await page.waitForURL('**/buyer-dashboard')
    await page.context().close()
  })
})

test('an address that had its share of mail signs up all the same, and is told that the mail waits [spec-33]', async ({ browser }) => {
  const page = await (await browser.newContext({ baseURL: address, reducedMotion: 'reduce' })).newPage()
  const email = newEmail()
  expect((await page.request.post('/auth/v1/recover', { data: { email } })).status()).toBe(200)
  await signUp(page, '/auth/buyer', email)
  await expect(page.getByText('Account created successfully!')).toBeVisible()
  await expect(page.getByText(/confirmation email may be delayed/)).toBeVisible()
  await page.context().close()
})
