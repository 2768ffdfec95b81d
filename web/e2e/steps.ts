import { createHmac } from 'node:crypto'
import { type APIRequestContext, test as base, expect, type Page } from '@playwright/test'
import axe from 'axe-core'

/** Every page is watched: an error in its console fails the test, unless the test names it. */
export const test = base.extend<{ allowed: RegExp[] }>({
  // biome-ignore lint/correctness/noEmptyPattern: playwright reads the pattern
  allowed: async ({}, use) => use([]),
  page: async ({ page, allowed }, use) => {
    const errors: string[] = []
    page.on('console', (message) => {
      // The stand-ins' own pages have no icon.
      if (message.type() === 'error' && !page.url().includes('/sandbox/') && !allowed.some((known) => known.test(message.text())))
        errors.push(`${page.url()}: ${message.text()}`)
    })
    page.on('pageerror', (error) => errors.push(`${page.url()}: ${error.message}`))
    await use(page)
    expect(errors).toEqual([])
  },
})
export { expect }

export const password = 'Sunny-day 42!'
let count = 0
export function newEmail() {
  count++
  return `e2e-${Date.now().toString(36)}-${process.pid}-${count}@studio.example`
}

/** Hydrated: what is pressed now is heard. */
export async function wake(page: Page) {
  // A page that is still loading does not hear the first.
  await expect(async () => {
    await page.mouse.move(4, 4 + Math.random() * 8)
    await awake(page, 1000)
  }).toPass({ timeout: 30_000 })
}
export const awake = (page: Page, timeout = 30_000) =>
  page.waitForFunction(
    () => Object.keys(document.getElementById('root')?.firstElementChild ?? {}).some((key) => key.startsWith('__react')),
    undefined,
    { timeout },
  )

export async function signUp(page: Page, portal: '/auth' | '/auth/seller' | '/auth/buyer', email = newEmail(), name = 'Mara Lindt') {
  await page.goto(portal)
  await wake(page)
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  await page.getByLabel('Full name').fill(name)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await page.getByRole('checkbox', { name: /Terms of Service/ }).check()
  await page.getByRole('button', { name: 'Sign Up' }).click()
  return email
}

/** The payment provider's stand-in: a test card, and the way back. */
export async function payAtCheckout(checkout: Page) {
  await checkout.waitForURL('**/sandbox/stripe/checkout/**')
  await checkout.getByLabel('Card number').fill('4242424242424242')
  await checkout.getByLabel('Expires').fill('12/34')
  await checkout.getByLabel('CVC').fill('123')
  await checkout.getByLabel('Name on the card').fill('Mara Lindt')
  await checkout.getByRole('button', { name: 'Start trial' }).click()
  await checkout.waitForURL('**/thank-you?session_id=**')
  await expect(checkout.getByRole('heading', { name: 'Basic is on.' })).toBeVisible({ timeout: 20_000 })
}

type Session = { access_token: string; user: { id: string; email: string } }
type Account = { role: 'seller' | 'buyer'; email?: string; name?: string }

/** An account without the screens that other tests go through: its session, as a browser keeps it. */
export async function newAccount(request: APIRequestContext, { role, email = newEmail(), name = 'Mara Lindt' }: Account): Promise<Session> {
  const data = { email, password, data: { name, accept_terms: true } }
  const session: Session = await (await request.post('/auth/v1/signup', { headers: api, data })).json()
  const stored = await request.post('/rest/v1/user_roles', { headers: bearer(session), data: { user_id: session.user.id, role } })
  expect(stored.ok()).toBe(true)
  return session
}

/** Calls a function as this account. */
export async function call(request: APIRequestContext, session: Session, name: string, data: object = {}) {
  return (await request.post(`/functions/v1/${name}`, { headers: bearer(session), data })).json()
}
const bearer = ({ access_token }: Session) => ({ ...api, authorization: `Bearer ${access_token}` })

/** This browser is signed in as the account. */
export async function enter(page: Page, session: Session, path: string) {
  // A page of this origin without the app: to start that twice is a third of a short test.
  await page.route('**/empty', (route) => route.fulfill({ contentType: 'text/html', body: '<link rel="icon" href="data:,">' }), {
    times: 1,
  })
  await page.goto('/empty')
  await page.evaluate((value) => localStorage.setItem('operon-auth', value), JSON.stringify(session))
  await page.goto(path)
}

/** A seller in the trial; the payment provider's stand-in takes the card. */
export async function newTrial(request: APIRequestContext, email = newEmail(), name = 'Mara Lindt'): Promise<Session> {
  const session = await newAccount(request, { role: 'seller', email, name })
  let checkout = ''
  await expect(async () => {
    checkout = new URL((await call(request, session, 'create-checkout', { plan: 'basic' })).url).pathname.split('/').at(-1)!
  }).toPass({ timeout: 20_000 })
  const paid = await request.post(`/sandbox/api/stripe/checkout/${checkout}/complete`, {
    data: { card: '4242424242424242', address: { country: 'US', postal_code: '97201' } },
  })
  expect(paid.ok()).toBe(true)
  await expect.poll(async () => (await call(request, session, 'check-subscription')).status, { timeout: 20_000 }).toBe('trialing')
  return session
}

/** A seller with a trial, in the dashboard or at another page. One is made in each process of a run; the tests after it borrow its session. */
export async function trialSeller(page: Page, path?: string): Promise<Session> {
  seller ??= await newTrial(page.request)
  await (path ? enter(page, seller, path) : enterDashboard(page, seller))
  return seller
}
let seller: Session | undefined

type Fault = { kind: string; match?: string; times?: number; status?: number; ms?: number; provider?: string }
/** Faults of the stand-ins that strike this account alone: the tests beside it go on. */
export function faultsOf(request: APIRequestContext, { user }: Session) {
  return {
    order: (fault: Fault) => request.post('/sandbox/faults', { data: { provider: 'openai', times: 0, account: user.id, ...fault } }),
    mend: () => request.delete(`/sandbox/faults?account=${user.id}`),
  }
}

/** The payment provider's time goes on for this account alone. */
export async function later(request: APIRequestContext, account: string, days: number) {
  const moved = await request.post('/sandbox/api/stripe/clock/advance', { data: { account, seconds: Math.round(days * 86_400) } })
  expect(moved.ok()).toBe(true)
}

/** One of its own, for a test that counts what an account has. */
export async function newTrialSeller(page: Page, path?: string) {
  const session = await newTrial(page.request)
  await (path ? enter(page, session, path) : enterDashboard(page, session))
  return session
}

async function enterDashboard(page: Page, session: Session) {
  await enter(page, session, '/dashboard')
  await expect(page.getByRole('heading', { name: /^Welcome Back, .+!$/ })).toBeVisible()
}

/** The day thirty days on, counted from when a test began or from now: a page may have been drawn on either side of midnight. */
export function inThirtyDays(began: number) {
  const on = (at: number) => new Intl.DateTimeFormat('en-US', { dateStyle: 'long' }).format(at + 30 * 86_400_000)
  return new RegExp(`${on(began)}|${on(Date.now())}`)
}

/**
 * The page as it is now fits at three widths, and has no violation: in six forms where the slow proofs run, else as a dark phone shows it, since
 * looking costs as much as the walk that leads there. A theme changes colors alone.
 */
export async function expectSound(page: Page) {
  const all = process.env.E2E_ALL === '1'
  const wear = (theme: string) => page.locator('html').evaluate((root, value) => root.setAttribute('data-theme', value), theme)
  await holdStill(page)
  for (const width of [1440, 390, 320])
    await test.step(`${width} px`, async () => {
      await page.setViewportSize({ width, height: 900 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      if (!all && width !== 390) return
      await wear('dark')
      await expectAccessible(page)
      if (!all) return
      await wear('light')
      await expectNoViolation(page, ['color-contrast'])
    })
}

/** A few pages a test: a window that has the app already looks at the next one in half the time, and the tests still run side by side. */
export const fewAtATime = (paths: string[]) =>
  Array.from({ length: Math.ceil(paths.length / 4) }, (_, n) => paths.slice(n * 4, n * 4 + 4) as [string, ...string[]])

/** Each of these pages, opened as a wide window opens it, is sound. */
export async function expectAllSound(page: Page, paths: string[], arrive: (path: string) => Promise<unknown>) {
  test.setTimeout(180_000)
  for (const path of paths)
    await test.step(path, async () => {
      await page.setViewportSize({ width: 1280, height: 720 })
      await arrive(path)
      await expect(page.locator('h1')).toHaveCount(1)
      await expectSound(page)
    })
}

/** Nothing of this page moves any more: what is looked at is where things come to rest. */
export const holdStill = (page: Page) =>
  page.evaluate(() => {
    const still = new CSSStyleSheet()
    still.replaceSync('*, ::before, ::after { animation: none !important; transition: none !important }')
    document.adoptedStyleSheets = [still]
  })

export const expectAccessible = (page: Page) =>
  expectNoViolation(page, ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])

/** Put into the page once: bringing it along for every look costs five times the look. */
async function expectNoViolation(page: Page, rules: string[]) {
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axe.source)
  const violations = await page.evaluate(
    async (runOnly) =>
      (await (window as unknown as { axe: typeof axe }).axe.run({ runOnly, resultTypes: ['violations'], preload: false })).violations,
    rules,
  )
  expect(
    violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map((node) => node.target.join(' '))
          .slice(0, 3)
          .join(' | ')}`,
    ),
  ).toEqual([])
}

type Letter = { subject: string; text: string; links: string[] }
/** The newest letter to an address whose subject matches, from the sandbox's inbox. */
async function newest(page: Page, address: string, subject = /./): Promise<Letter> {
  let found: Letter | undefined
  await expect
    .poll(async () => {
      const { messages } = await (await page.request.get(`/sandbox/api/inbox?to=${encodeURIComponent(address)}`)).json()
      found = messages.find((message: Letter) => subject.test(message.subject))
      return found
    })
    .toBeTruthy()
  return found!
}

/** The link of a letter. */
export const letterTo = (page: Page, address: string, subject: RegExp) => linkTo(page, address, '/verify', subject)
export async function linkTo(page: Page, address: string, part: string, subject?: RegExp) {
  const { links } = await newest(page, address, subject)
  return links.find((link) => link.includes(part))!
}

/** Opens the link of a letter and presses the button of its page. */
export async function openLetter(page: Page, link: string) {
  await page.goto(link)
  await page.locator('form button').click()
}

export async function codeTo(page: Page, address: string, subject = /sign-in link/) {
  return /\b\d{6}\b/.exec((await newest(page, address, subject)).text)![0]
}

/** An account whose address is proven, and which asks for a second factor. */
export async function newGuarded(page: Page): Promise<string> {
  const email = newEmail()
  await newAccount(page.request, { role: 'seller', email })
  await page.request.post('/auth/v1/otp', { headers: api, data: { email, create_user: false } })
  const proof = { email, token: await codeTo(page, email), type: 'email' }
  const headers = bearer(await (await page.request.post('/auth/v1/verify', { headers: api, data: proof })).json())
  await page.request.put('/auth/v1/user', { headers, data: { password } })
  const factor = await (await page.request.post('/auth/v1/factors', { headers, data: { factor_type: 'totp' } })).json()
  const challenge = await (await page.request.post(`/auth/v1/factors/${factor.id}/challenge`, { headers, data: {} })).json()
  const data = { challenge_id: challenge.id, code: totp(factor.totp.secret) }
  expect((await page.request.post(`/auth/v1/factors/${factor.id}/verify`, { headers, data })).ok()).toBe(true)
  return email
}

/** The code of an authenticator app. A second code within one step is the next step's, which the server accepts a step early. */
export function totp(secret: string, ahead = 0) {
  const bits = [...secret.replace(/=+$/, '')].map((char) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0'))
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const step = Buffer.alloc(8)
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + ahead))
  const mac = createHmac('sha1', key).update(step).digest()
  const code = mac.readUInt32BE(mac[19]! & 15) & 0x7fffffff
  return String(code % 1_000_000).padStart(6, '0')
}

// The server under test names this address in AUTH_STAFF_EMAILS.
export const staffEmail = process.env.E2E_STAFF_EMAIL ?? 'staff@studio.example'
export const api = { apikey: 'anon', 'content-type': 'application/json' }

/** An address is staff once it is proven: by the link of a mail. */
export async function proveStaff(request: APIRequestContext) {
  const inbox = async () =>
    (await (await request.get(`/sandbox/api/inbox?to=${encodeURIComponent(staffEmail)}`)).json()).messages as { links: string[] }[]
  const link = async () => (await inbox()).flatMap(({ links }) => links).find((each) => each.includes('type=magiclink'))
  if (await link()) return
  await request.post('/auth/v1/signup', { headers: api, data: { email: staffEmail, password } })
  await request.post('/auth/v1/otp', { headers: api, data: { email: staffEmail, create_user: false } })
  await expect.poll(link, { timeout: 20_000 }).toBeTruthy()
  const form = Object.fromEntries(new URL((await link())!).searchParams)
  const pressed = await request.post('/auth/v1/verify/link', { headers: { 'sec-fetch-site': 'same-origin' }, form, maxRedirects: 0 })
  // The first proof of an address ends the password that was set before it.
  const token = new URLSearchParams(new URL(pressed.headers().location!).hash.slice(1)).get('access_token')
  await request.put('/auth/v1/user', { headers: { ...api, authorization: `Bearer ${token}` }, data: { password } })
}

export async function signInAsStaff(page: Page, request: APIRequestContext) {
  const { access_token } = await (
    await request.post('/auth/v1/token?grant_type=password', { headers: api, data: { email: staffEmail, password } })
  ).json()
  const claims = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString())
  test.skip(!claims.app_metadata.staff, `the server does not name ${staffEmail} in AUTH_STAFF_EMAILS`)
  await page.goto('/auth')
  await wake(page)
  await page.getByLabel('Email').fill(staffEmail)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page.getByText('Signing you in')).toHaveCount(0)
  await expect.poll(() => page.evaluate(() => localStorage.getItem('operon-auth'))).toBeTruthy()
}
