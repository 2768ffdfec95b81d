import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type AllInOne, startAllInOne } from '@operon/deploy/all-in-one'
import { stopOnSignals } from '@operon/deploy/launcher'
import { findProgram } from '@operon/deploy/machine'
import { supervise } from '@operon/deploy/supervised'
import { freePort } from '@operon/kit/ports'
import { type Browser, chromium, type Page } from '@playwright/test'
import { openStorefront } from './bench/web-storefront.ts'
import { type Shot, shots, type Who } from './shots-pages.ts'

// `npm run shots [-- /pricing bell …]`: a picture of every page and state in both themes and three widths, into shots/. On a platform of its own.
const out = join(import.meta.dirname, '../../shots')
const widths = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 }, small: { width: 320, height: 640 } }
const staff = 'staff@studio.example'

const executablePath = findProgram('chromium') ?? findProgram('google-chrome')
if (!executablePath) {
  console.error('There is no chromium on PATH.')
  process.exit(1)
}
const only = process.argv.slice(2)
const dataDir = mkdtempSync(join(tmpdir(), 'operon-shots-'))
chmodSync(dataDir, 0o755)
mkdirSync(out, { recursive: true })
const starting = startAllInOne({
  env: {
    ...process.env,
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    AUTH_AUTOCONFIRM: 'true',
    DEMO_ACCOUNTS: 'true',
    AUTH_STAFF_EMAILS: staff,
  },
  log: console.log,
})
let devUi: Awaited<ReturnType<typeof startDevUi>> | undefined
let stopping: Promise<void> | undefined
stopOnSignals(stop)
const platform = await starting
const browser = await chromium.launch({
  executablePath,
  // A signal ends the platform first; the browser goes with the process.
  handleSIGINT: false,
  handleSIGTERM: false,
  handleSIGHUP: false,
  args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
try {
  const beginner = await newcomer('Mara Lindt')
  const sessions: Record<Who, unknown> = {
    nobody: null,
    seller: await demoSeller(),
    buyer: await post('/functions/v1/demo-sign-in', { portal: 'buyer' }),
    beginner,
    unpaid: await newcomer('Jo'),
    staff: await staffSession(),
  }
  const { storefront, product } = await openStorefront(platform)
  const all = shots({ storefront, product, checkout: await subscribe(beginner.access_token), newsletter: await newsletterLink() })
  const wanted = only.length ? all.filter((shot) => only.includes(shot.path) || only.includes(nameOf(shot))) : all
  devUi = await startDevUi(platform)
  if (!only.length || only.includes('/dev/ui')) wanted.push({ path: `${devUi.url}/dev/ui`, name: 'dev-ui' })
  const sizes = Object.entries(widths).map(async ([size, viewport]) => {
    for (const shot of wanted) await take(browser, shot, { size, viewport, session: sessions[shot.who ?? 'nobody'] })
    console.log(`${size}: ${wanted.length} pictures in both themes`)
  })
  await Promise.all(sizes)
} finally {
  await browser.close()
  await stop()
}
process.exit(0)

/** Once, whether the pictures are taken or somebody ends this before. */
function stop(): Promise<void> {
  stopping ??= (async () => {
    await devUi?.stop()
    await starting.then((running) => running.stop())
    rmSync(dataDir, { recursive: true, force: true })
  })()
  return stopping
}

type Answer = Record<string, any>
async function post(path: string, body: object, token?: string): Promise<Answer> {
  const response = await fetch(platform.address + path, {
    method: 'POST',
    headers: { apikey: 'anon', 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Answer
}

/** Its plan and its data come by events. */
async function demoSeller(): Promise<Answer> {
  const session = await post('/functions/v1/demo-sign-in', { portal: 'seller' })
  const isFilled = async () =>
    (await post('/functions/v1/check-subscription', {}, session.access_token)).subscribed &&
    (await post('/functions/v1/ai-usage', {}, session.access_token)).used > 0
  for (let tries = 0; tries < 200 && !(await isFilled()); tries++) await delay(100)
  return session
}

async function newcomer(name: string): Promise<Answer> {
  const email = `${name.split(' ')[0]!.toLowerCase()}@studio.example`
  const account = await post('/auth/v1/signup', { email, password: 'Sunny-day 42!', data: { name, accept_terms: true } })
  // As the portal does: the role is stored once.
  await fetch(`${platform.address}/rest/v1/user_roles`, {
    method: 'POST',
    headers: { apikey: 'anon', 'content-type': 'application/json', authorization: `Bearer ${account.access_token}` },
    body: JSON.stringify({ user_id: account.user.id, role: 'seller' }),
  })
  return account
}

/** A trial by the stand-in's checkout, whose result is looked at. */
async function subscribe(token: string): Promise<string> {
  const { url } = await post('/functions/v1/create-checkout', { plan: 'basic' }, token)
  const id = new URL(url).pathname.split('/').at(-1)!
  await post(`/sandbox/api/stripe/checkout/${id}/complete`, { card: '4242424242424242', address: { country: 'US', postal_code: '97201' } })
  while (!(await post('/functions/v1/check-subscription', {}, token)).subscribed) await delay(100)
  return id
}

async function newsletterLink(): Promise<string> {
  const email = 'reader@studio.example'
  await post('/functions/v1/newsletter-subscribe', { email })
  const link = await linkTo(email, 'newsletter-confirm')
  return link.slice(new URL(link).origin.length)
}

/** An address is staff once it is proven: by the link of a mail. */
async function staffSession(): Promise<Answer> {
  const password = 'Sunny-day 42!'
  await post('/auth/v1/signup', { email: staff, password })
  await post('/auth/v1/otp', { email: staff, create_user: false })
  const pressed = await fetch(`${platform.address}/auth/v1/verify/link`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(new URL(await linkTo(staff, 'type=magiclink')).search),
  })
  // The first proof of an address ends the password that was set before it.
  const token = new URLSearchParams(new URL(pressed.headers.get('location')!).hash.slice(1)).get('access_token')
  await fetch(`${platform.address}/auth/v1/user`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ password }),
  })
  return post('/auth/v1/token?grant_type=password', { email: staff, password })
}

async function linkTo(address: string, part: string): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await fetch(`${platform.address}/sandbox/api/inbox?to=${encodeURIComponent(address)}`)
    const { messages } = (await answer.json()) as { messages: { links: string[] }[] }
    const link = messages.flatMap(({ links }) => links).find((each) => each.includes(part))
    if (link) return link
    await delay(100)
  }
  throw new Error(`No mail to ${address} has a link with ${part}`)
}

/** /dev/ui is in development builds alone. */
async function startDevUi({ address }: AllInOne) {
  const port = String(await freePort())
  const web = resolve(import.meta.dirname, '../../web')
  const url = `http://127.0.0.1:${port}`
  const vite = supervise({
    name: 'web',
    command: process.execPath,
    args: [join(web, 'node_modules/vite/bin/vite.js'), web, '--port', port, '--strictPort'],
    env: { ...process.env, OPERON_API: address },
    log: console.log,
  })
  for (let tries = 0; tries < 200; tries++) {
    if (await fetch(url).catch(() => null)) break
    await delay(100)
  }
  return { url, stop: () => vite.stop() }
}

function nameOf({ name, path, who = 'nobody' }: Shot) {
  const said = name ?? (path.slice(1).replaceAll('/', '-') || 'landing')
  return who === 'nobody' || name ? said : `${said}-as-${who}`
}

type Look = { size: string; viewport: { width: number; height: number }; session: unknown }
async function take(browser: Browser, shot: Shot, { size, viewport, session }: Look) {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', baseURL: platform.address })
  await context.addInitScript((kept) => kept && localStorage.setItem('operon-auth', JSON.stringify(kept)), session)
  const page = await context.newPage()
  // Of a state that is made by a refusal the browser says so too.
  page.on('console', (message) => {
    if (message.type() === 'error' && !shot.before && !/status of 4/.test(message.text()))
      console.log(`  ${nameOf(shot)}: ${message.text()}`)
  })
  await shot.before?.(page)
  await page.goto(shot.path)
  await settle(page)
  // A page that opens may bring its own code and answers.
  await shot.do?.(page).then(
    () => delay(600),
    (error: Error) => console.log(`  ${nameOf(shot)} (${size}) is not in its state: ${error.message.split('\n')[0]}`),
  )
  for (const theme of ['dark', 'light']) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
    await delay(150)
    await page.screenshot({ path: join(out, `${nameOf(shot)}-${size}-${theme}.png`), fullPage: !shot.floats })
  }
  await context.close()
}

/** A public page is drawn whole with the first sign of a person. Nothing more is on its way: except where an answer is withheld. */
async function settle(page: Page) {
  await page.waitForLoadState('networkidle', { timeout: 5000 }).catch(() => {})
  await page.mouse.move(4, 4)
  const waiting =
    '[...document.querySelectorAll("#root")].some((root) => !Object.keys(root.firstElementChild ?? {}).some((key) => key.startsWith("__react")))'
  // Asked anew each time: the pages let nobody evaluate a text in them.
  for (let looks = 0; looks < 250 && (await page.evaluate(waiting)); looks++) await delay(20)
  await page.waitForLoadState('networkidle', { timeout: 5000 }).catch(() => {})
}
