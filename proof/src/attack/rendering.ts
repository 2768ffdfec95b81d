import { findProgram } from '@operon/deploy/machine'
import { chromium, type Page } from '@playwright/test'
import { corpus, EVIL, hostileItem, hostileOrder, hostileSeller, MARK, slugOf } from './hostile.ts'
import { SANDBOX_KEY } from './platform.ts'
import type { Attack, Kept } from './world.ts'

// S14: hostile text wherever a seller, a buyer, a model or an address may put some, shown by a real browser under the policy that ships.
export const attack: Attack = async (world) => {
  const executablePath = findProgram('chromium-headless-shell', 'chromium', 'google-chrome')
  if (!executablePath) return { tried: 0, findings: [], notes: ['not tried: there is no chromium on PATH'] }
  const findings = new Set<string>()
  const unseen = new Set(mustShow)
  let screens = 0
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
  try {
    const all = corpus.join('\n\n')
    for (const hostile of world.short ? [all] : [all, ...corpus]) {
      const text = `${MARK}\n\n${hostile}`
      const seller = await hostileSeller(world, text)
      const staff = (await world.actor('staff')).session!
      // Beside each other: most of a visit is waiting for pages to come to rest.
      await Promise.all([
        visit(null, [...storefrontPaths(seller.user.id), ...publicPaths(text)], text),
        visit(seller, [...sellerPaths, `/buyer-dashboard/orders/${hostileOrder(seller.user.id)}`], text),
        visit(staff, ['/staff', '/dashboard/settings'], text, seller.user.email),
      ])
    }
  } finally {
    await browser.close()
  }
  for (const path of unseen) findings.add(`${path} showed none of it: nothing was tried there`)
  return { tried: screens * corpus.length, findings: [...findings] }

  async function visit(kept: Kept | null, paths: string[], text: string, email = '') {
    const context = await browser.newContext({
      baseURL: world.url,
      reducedMotion: 'reduce',
      extraHTTPHeaders: { 'x-sandbox-key': SANDBOX_KEY },
    })
    await context.addInitScript({ content: `${kept ? keepSession(kept) : ''}${LISTEN}` })
    const page = await context.newPage()
    watch(page, (what) => findings.add(what))
    for (const path of paths) {
      await page.goto(path, { waitUntil: 'networkidle', timeout: 8_000 }).catch(() => {})
      for await (const step of screensOf(page, path, text, email)) {
        screens++
        for (const what of await inspect(page)) findings.add(`${path.slice(0, 60)} ${step}: ${what}`)
        if ((await page.locator('body').textContent())?.includes(MARK)) unseen.delete(mustShow.find((each) => path.startsWith(each)) ?? '')
      }
    }
    await context.close()
  }
}

/** Where the planted text has to come to light, or the attack tried nothing. */
const mustShow = [
  '/marketplace',
  '/marketplace/hostile-',
  '/dashboard',
  '/dashboard/operon-ai',
  '/dashboard/ai-assistant',
  '/dashboard/ai-lab',
  '/dashboard/marketplace?tab=messages',
  '/buyer-dashboard/orders',
  '/buyer-dashboard/orders/',
  '/buyer-dashboard/messages',
  '/buyer-dashboard/reviews',
  '/staff',
]
  .sort()
  .reverse()

/** A page as it opens, then what a person opens on it: tabs, a conversation, the bell and what it tells. */
async function* screensOf(page: Page, path: string, text: string, email: string): AsyncGenerator<string> {
  yield ''
  if (path === '/staff') {
    await page.getByRole('textbox', { name: 'Account' }).fill(email)
    await page.getByRole('textbox', { name: 'Reason' }).fill(text.slice(0, 200).replaceAll('\n', ' '))
    await press(page, page.getByRole('button', { name: 'Look up' }))
    await shown(page)
    yield 'account'
  }
  const tabs = page.getByRole('tab')
  for (let n = 1; n < (await tabs.count()); n++) {
    await press(page, tabs.nth(n))
    yield `tab ${n + 1}`
  }
  if (/operon-ai|ai-assistant|ai-lab|messages/.test(path)) {
    await shown(page)
    await press(page, page.getByRole('button', { name: MARK }).first())
    yield 'opened'
  }
  if (path !== '/dashboard') return
  await press(page, page.getByRole('button', { name: 'Notifications' }))
  yield 'bell'
  await press(page, page.getByText(MARK).last())
  yield 'notice'
}

/** Generous, because a busy machine takes longer to render. */
const shown = (page: Page) =>
  page
    .getByText(MARK)
    .first()
    .waitFor({ state: 'attached', timeout: 15_000 })
    .catch(() => {})

async function press(page: Page, what: ReturnType<Page['locator']>) {
  await what.click({ timeout: 1_500 }).catch(() => {})
  await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {})
}

const sellerPaths = [
  '/dashboard',
  '/dashboard/operon-ai',
  '/dashboard/ai-assistant',
  '/dashboard/ai-lab',
  '/dashboard/content-creator',
  '/dashboard/meta-ads',
  '/dashboard/brand-builder',
  '/dashboard/payments',
  '/dashboard/settings',
  '/pricing',
  '/referrals',
  '/dashboard/marketplace?tab=products',
  '/dashboard/marketplace?tab=messages',
  '/buyer-dashboard',
  '/buyer-dashboard/orders',
  '/buyer-dashboard/messages',
  '/buyer-dashboard/reviews',
  '/buyer-dashboard/wishlist',
  '/buyer-dashboard/searches',
]

const storefrontPaths = (userId: string) => [
  '/marketplace',
  `/marketplace/${slugOf(userId)}`,
  `/marketplace/${slugOf(userId)}/${hostileItem(userId)}`,
]

const publicPaths = (text: string) => {
  const value = encodeURIComponent(text.slice(0, 900))
  return [
    `/?ref=${value}`,
    `/auth/seller?ref=${value}#error=access_denied&error_description=${value}`,
    `/reset-password#error_code=otp_expired&error_description=${value}`,
    `/thank-you?session_id=${value}`,
    `/marketplace/${encodeURIComponent(text.slice(0, 60))}`,
    `/marketplace?q=${encodeURIComponent(text.slice(0, 100))}&category=${encodeURIComponent(text.slice(0, 60))}&after=${encodeURIComponent(text.slice(0, 100))}`,
    `/auth/${encodeURIComponent(text.slice(0, 60))}`,
    `/nowhere/${encodeURIComponent(text.slice(0, 60))}`,
    `/functions/v1/newsletter-confirm?token=${encodeURIComponent(text.slice(0, 180))}`,
    `/functions/v1/newsletter-unsubscribe?token=${encodeURIComponent(text.slice(0, 180))}`,
    `/auth/v1/verify?type=signup&token=${value}&redirect_to=${value}`,
    `/auth/v1/callback?error=${value}&error_description=${value}&state=${value}`,
    '/sandbox/inbox',
    `/sandbox/inbox?to=${value}`,
    `/sandbox/stripe/checkout/${encodeURIComponent(text.slice(0, 60))}`,
    `/sandbox/oauth/google/authorize?client_id=${value}&redirect_uri=javascript:window.xss=1&state=${value}&scope=${value}`,
    '/docs',
  ]
}

function watch(page: Page, tell: (what: string) => void) {
  page.on('dialog', (dialog) => {
    tell(`a dialog opened: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (new URL(request.url()).hostname.endsWith(EVIL)) tell(`${page.url().slice(0, 60)} asked ${request.url()}`)
  })
  page.on('popup', () => tell(`${page.url().slice(0, 60)} opened a window`))
}

// As text: what runs in the page is not of this program.
const keepSession = (kept: Kept) => `localStorage.setItem('operon-auth', ${JSON.stringify(JSON.stringify(kept))});`
const LISTEN = `
  window.stopped = []
  addEventListener('securitypolicyviolation', ({ effectiveDirective, sample }) => {
    if (effectiveDirective.startsWith('script')) window.stopped.push(sample || effectiveDirective)
  })`

/** Scripts that ran, that only the policy stopped, and that would run at a click. */
const inspect = (page: Page) => page.evaluate(LOOK) as Promise<string[]>
const LOOK = String.raw`(() => {
  const found = []
  if (window.xss !== undefined) found.push('hostile text ran')
  for (const sample of window.stopped ?? []) found.push('only the policy stopped a script: ' + sample)
  for (const element of document.querySelectorAll('*'))
    for (const { name, value } of element.attributes) {
      const tag = element.tagName.toLowerCase()
      if (name.startsWith('on')) found.push('<' + tag + ' ' + name + '>')
      const leads = ['href', 'src', 'action', 'formaction', 'data', 'xlink:href'].includes(name)
      if (leads && /^(javascript|vbscript|data:text)/i.test(value.replace(/\s/g, ''))) found.push('<' + tag + ' ' + name + '=' + value.slice(0, 60) + '>')
      if (name === 'srcdoc' && value.includes('xss')) found.push('<' + tag + ' srcdoc>')
    }
  return found
})()`
