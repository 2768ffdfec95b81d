import { pressedCookie } from '@operon/contracts/identity/arrival'
import type { Browser, Page } from '@playwright/test'
import {
  codeTo,
  enter,
  expect,
  expectAccessible,
  expectSound,
  letterTo,
  newAccount,
  newEmail,
  newGuarded,
  openLetter,
  password,
  signUp,
  test,
  wake,
} from './steps.ts'

// A session that an address brings. Nobody's session is replaced by a stranger's link, in silence or at all.

type Session = Awaited<ReturnType<typeof newAccount>>
type Whole = Session & { refresh_token: string }

async function stranger(page: Page) {
  const email = newEmail()
  const session = (await newAccount(page.request, { role: 'buyer', email, name: 'A Stranger' })) as Whole
  const hash = (type: string) =>
    `#access_token=${session.access_token}&refresh_token=${session.refresh_token}&expires_in=3600&token_type=bearer&type=${type}`
  return { email, session, hash }
}

const keptAs = (page: Page) => page.evaluate(() => JSON.parse(localStorage.getItem('operon-auth') ?? 'null')?.user?.email ?? null)
const goneFromAddress = async (page: Page) => expect.poll(() => page.url()).not.toContain('access_token')

for (const [path, type] of [
  ['/', 'signup'],
  ['/auth/buyer', 'magiclink'],
  ['/pricing', 'recovery'],
  ['/buyer-dashboard', 'email_change'],
  ['/auth/seller?asked=0123456789abcdef0123456789abcdef', 'signup'],
] as const)
  test(`a stranger's link to ${path} asks the person who is signed in, and leaves their session alone [S26]`, async ({ page }) => {
    const mine = newEmail()
    await enter(page, await newAccount(page.request, { role: 'buyer', email: mine }), '/get-started')
    const { email, session, hash } = await stranger(page)
    await page.goto('about:blank')
    await page.goto(`${path}${hash(type)}`)
    await wake(page)
    await expect(page.getByRole('heading', { name: `You are signed in as ${mine}. Continue as ${email}?` })).toBeVisible()
    await goneFromAddress(page)
    if (type === 'recovery') await expectSound(page)
    expect(await keptAs(page)).toBe(mine)
    await page.getByRole('button', { name: `Stay signed in as ${mine}` }).click()
    await expect(page.getByRole('heading', { name: /Continue as/ })).toHaveCount(0)
    expect(await keptAs(page)).toBe(mine)
    // The session that nobody went on with is over.
    await expect
      .poll(async () =>
        (await page.request.get('/auth/v1/user', { headers: { authorization: `Bearer ${session.access_token}` } })).status(),
      )
      .toBeGreaterThanOrEqual(400)
  })

test("a stranger's link asks who is signed out as well; declined, nobody is signed in [S26]", async ({ page }) => {
  const { email, hash } = await stranger(page)
  await page.goto(`/auth/buyer${hash('signup')}`)
  await wake(page)
  await expect(page.getByRole('heading', { name: `Continue as ${email}?` })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'This is not my account' }).click()
  await expect(page.getByRole('tab', { name: 'Sign In' })).toBeVisible()
  expect(await keptAs(page)).toBeNull()
})

test('on another device a link signs in after its question; over another account that one is signed out [spec-25]', async ({ page }) => {
  const mine = newEmail()
  const before = await newAccount(page.request, { role: 'seller', email: mine })
  await enter(page, before, '/get-started')
  const { email, hash } = await stranger(page)
  await page.goto('about:blank')
  await page.goto(`/auth/buyer${hash('signup')}`)
  await wake(page)
  await page.getByRole('button', { name: `Continue as ${email}` }).click()
  await expect(page.getByText('Email confirmed', { exact: true })).toBeVisible()
  await page.waitForURL('**/buyer-dashboard')
  expect(await keptAs(page)).toBe(email)
  await expect
    .poll(async () => (await page.request.get('/auth/v1/user', { headers: { authorization: `Bearer ${before.access_token}` } })).status())
    .toBeGreaterThanOrEqual(400)
})

test('the button of the confirmation page signs its own browser in without a question, and once [spec-25]', async ({
  page,
  context,
  browser,
}) => {
  const { email, session, hash } = await stranger(page)
  const { session_id: id } = JSON.parse(Buffer.from(session.access_token.split('.')[1]!, 'base64url').toString())
  await page.goto('/get-started')
  await context.addCookies([{ name: pressedCookie, value: id, url: page.url(), sameSite: 'Strict' }])
  await page.goto(`/auth/buyer${hash('signup')}`)
  await expect(page.getByText('Email confirmed', { exact: true })).toBeVisible()
  await page.waitForURL('**/buyer-dashboard')
  expect(await keptAs(page)).toBe(email)
  expect((await context.cookies()).filter(({ name }) => name === pressedCookie)).toEqual([])

  // Pressed for one session, worth nothing for another.
  const fresh = await elsewhere(browser)
  const other = await stranger(fresh)
  await fresh.goto('/get-started')
  await fresh.context().addCookies([{ name: pressedCookie, value: id, url: fresh.url(), sameSite: 'Strict' }])
  await fresh.goto(`/auth/buyer${other.hash('signup')}`)
  await wake(fresh)
  await expect(fresh.getByRole('heading', { name: `Continue as ${other.email}?` })).toBeVisible()
  await fresh.context().close()
})

const askForLink = async (page: Page, email: string) => {
  await page.goto('/auth/buyer')
  await wake(page)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click()
  await expect(page.getByText(`If ${email} has an account, a sign-in link is on its way.`)).toBeVisible()
}
async function signIn(page: Page, email: string) {
  await page.goto('/auth/buyer')
  await wake(page)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
}
const elsewhere = async (browser: Browser) => (await browser.newContext({ reducedMotion: 'reduce' })).newPage()

test('a sign-in link works in silence where it was asked for, and on another device once its button is pressed', async ({
  page,
  browser,
}) => {
  const email = newEmail()
  await newAccount(page.request, { role: 'buyer', email })
  await askForLink(page, email)
  await openLetter(page, await letterTo(page, email, /sign-in link/))
  await page.waitForURL('**/buyer-dashboard')

  const [asking, other] = [await elsewhere(browser), await elsewhere(browser)]
  const theirs = newEmail()
  await newAccount(page.request, { role: 'buyer', email: theirs })
  await askForLink(asking, theirs)
  await asking.context().close()
  await openLetter(other, await letterTo(other, theirs, /sign-in link/))
  await other.waitForURL('**/buyer-dashboard')
  await other.context().close()
})

type Waiting = {
  email: string
  /** The subject of the message. Without one, this server sends none, and the page alone is looked at. */
  subject?: RegExp
  code?: string
  leads?: (page: Page) => Promise<unknown>
}

async function newBuyer(page: Page) {
  const email = newEmail()
  return { email, session: await newAccount(page.request, { role: 'buyer', email }) }
}

// Every page that waits for a message.
const waitingPages: Record<string, (page: Page) => Promise<Waiting>> = {
  'a sign-in link': async (page) => {
    const { email } = await newBuyer(page)
    await askForLink(page, email)
    return { email, subject: /sign-in link/, leads: () => page.waitForURL('**/buyer-dashboard') }
  },
  'a forgotten password': async (page) => {
    const { email } = await newBuyer(page)
    await page.goto('/forgot-password')
    await wake(page)
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    return { email, subject: /password/i, leads: () => page.getByRole('heading', { name: 'Set a new password' }).waitFor() }
  },
  'a lost second factor': async (page) => {
    const email = await newGuarded(page)
    await signIn(page, email)
    await page.getByRole('link', { name: 'I lost it, or it is not mine' }).click()
    await expect(page.getByText(`The code goes to ${email}.`)).toBeVisible()
    await page.getByRole('button', { name: 'Email me a code' }).click()
    return {
      email,
      subject: /^Reset/,
      leads: async () => {
        await page.getByLabel('New password').fill('Another-day 77!')
        await page.getByRole('button', { name: 'Remove my second factor' }).click()
        await expect(page.getByText(/^Your second factor will be removed on/)).toBeVisible()
        await expectSound(page)
      },
    }
  },
  'a sign-in before the address is confirmed': async (page) => {
    await page.route('**/auth/v1/token?grant_type=password', (route) =>
      route.fulfill({ status: 400, json: { code: 'email_not_confirmed', error_code: 'email_not_confirmed', msg: 'Email not confirmed' } }),
    )
    const { email } = await newBuyer(page)
    await signIn(page, email)
    return { email }
  },
  'a sign-up whose address has to be confirmed': async (page) => {
    await page.route('**/auth/v1/signup**', (route) => {
      const { email } = route.request().postDataJSON()
      const at = new Date().toISOString()
      return route.fulfill({ json: { id: crypto.randomUUID(), email, confirmation_sent_at: at, created_at: at, identities: [] } })
    })
    return { email: await signUp(page, '/auth/buyer') }
  },
  'a proof that an account without a password is asked for': async (page) => {
    const email = newEmail()
    await page.goto('/auth/buyer')
    await wake(page)
    await page.getByRole('button', { name: 'Continue with Google' }).click()
    await page.getByLabel('Or another email address').fill(email)
    await page.getByLabel('Name').fill('Mara Lindt')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL('**/buyer-dashboard')
    await page.goto('/dashboard/settings?section=data')
    let asked = 0
    await page.route('**/functions/v1/account-export-begin', (route) =>
      asked++ === 0 ? route.fulfill({ status: 403, json: { code: 'aal2_required', message: 'Prove it', status: 403 } }) : route.continue(),
    )
    await page.getByRole('button', { name: 'Export my data' }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm it is you' })
    await dialog.waitFor()
    return { email, subject: /sign-in link/, code: `The code we sent to ${email}`, leads: () => dialog.waitFor({ state: 'hidden' }) }
  },
  'a new email address': async (page) => {
    const { email, session } = await newBuyer(page)
    await enter(page, session, '/dashboard/settings?section=profile')
    const next = newEmail()
    await page.getByLabel('Email', { exact: true }).fill(next)
    await page.getByRole('button', { name: 'Save profile' }).click()
    return { email, code: `Code sent to ${email}` }
  },
  'a new password with an old session': async (page) => {
    const { email, session } = await newBuyer(page)
    await enter(page, session, '/dashboard/settings?section=security')
    let asked = 0
    await page.route('**/auth/v1/user', (route) =>
      route.request().method() === 'PUT' && asked++ === 0
        ? route.fulfill({ status: 400, json: { code: 'reauthentication_needed', error_code: 'reauthentication_needed', msg: 'Prove it' } })
        : route.continue(),
    )
    await page.getByLabel('New password').fill('Another-day 77!')
    await page.getByLabel('Confirm password').fill('Another-day 77!')
    await page.getByRole('button', { name: 'Change password' }).click()
    return { email, subject: /code/i, leads: () => page.getByText('Your password has changed').first().waitFor() }
  },
}

for (const [what, arrive] of Object.entries(waitingPages))
  test.describe('a page that waits for a message', () => {
    test.use({ allowed: [/400|403|422/] })
    test(`for ${what}: it takes the code, tells of a wrong one, and sends again after a countdown [spec-3]`, async ({ page }) => {
      const { email, subject, code = 'Six-digit code', leads } = await arrive(page)
      await expect(page.getByRole('button', { name: /^Send again in \d+ s$/ })).toBeDisabled()
      const field = page.getByLabel(code)
      const enterIt = async (value: string) => {
        await field.fill(value)
        await field.press('Enter')
      }
      await enterIt('000000')
      await expect(page.getByText('That code is wrong or has expired.')).toBeVisible()
      await expectAccessible(page)
      if (!subject) return
      await enterIt(await codeTo(page, email, subject))
      await leads?.(page)
    })
  })

for (const path of ['/', '/pricing', '/dashboard', '/auth', '/auth/seller', '/nowhere-at-all'])
  test.describe('a link that does not work', () => {
    test.use({ allowed: [/404/] })
    test(`says Confirmation Error at ${path}, and sends another [spec-25] [spec-34]`, async ({ page }) => {
      const email = newEmail()
      await newAccount(page.request, { role: 'buyer', email })
      await page.goto(`${path}#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired`)
      await wake(page)
      await expect(page.getByRole('heading', { name: 'Confirmation Error' })).toBeVisible()
      await expect(page.getByText('Email link is invalid or has expired.')).toBeVisible()
      await page.getByLabel('Email').fill(email)
      await page.getByRole('button', { name: 'Send again' }).click()
      await expect(page.getByText(`If ${email} has an account, a new message is on its way.`)).toBeVisible()
      await expect(page.getByRole('button', { name: /^Send again in/ })).toBeVisible()
      await page.getByLabel('Six-digit code').fill(await codeTo(page, email))
      await page.getByRole('button', { name: 'Continue', exact: true }).click()
      await page.waitForURL('**/buyer-dashboard')
    })
  })

const sessionOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).session_id

test('a forged session of the very account that is signed in changes nothing [S26]', async ({ page, allowed }) => {
  allowed.push(/401|403/)
  const mine = newEmail()
  const own = await newAccount(page.request, { role: 'buyer', email: mine })
  await enter(page, own, '/get-started')
  const [header, payload] = own.access_token.split('.')
  await page.goto('about:blank')
  await page.goto(`/#access_token=${header}.${payload}.AAAA&refresh_token=x&expires_in=3600&token_type=bearer&type=signup`)
  await wake(page)
  await expect(page.getByRole('heading', { name: 'Confirmation Error' })).toBeVisible()
  expect(await keptAs(page)).toBe(mine)
  // The client may have renewed its token in between: it is still the session that was there.
  const token = await page.evaluate(() => JSON.parse(localStorage.getItem('operon-auth')!).access_token as string)
  expect(sessionOf(token)).toBe(sessionOf(own.access_token))
})

test('a provider brings its own browser back without a question [spec-18]', async ({ page }) => {
  await page.goto('/auth/buyer')
  await wake(page)
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.getByLabel('Or another email address').fill(newEmail())
  await page.getByLabel('Name').fill('Mara Lindt')
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.waitForURL('**/buyer-dashboard')
  expect(page.url()).not.toContain('asked=')
})
