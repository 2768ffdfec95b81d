import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from '@playwright/test'
import { startAllInOne } from './all-in-one.ts'
import { openStorefront } from './bench/web-storefront.ts'
import { findProgram } from './machine.ts'
import { seedDemo } from './seed.ts'

// `npm run shots [-- /pricing …]`: a picture of every page in both themes and three widths, into shots/. On a platform of its own, as the demo seller.
const out = join(import.meta.dirname, '../../shots')
const widths = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 }, small: { width: 320, height: 640 } }
const open = [
  '/',
  '/get-started',
  '/auth',
  '/auth/seller',
  '/auth/buyer',
  '/pricing',
  '/forgot-password',
  '/terms-of-service',
  '/privacy-policy',
  '/security',
  '/referrals',
  '/marketplace/nobody',
  '/nowhere',
]
const signedIn = [
  '/dashboard',
  '/dashboard/how-it-works',
  '/dashboard/settings',
  '/pricing',
  '/referrals',
  '/buyer-dashboard',
  '/dashboard/ai-lab',
  '/dashboard/ai-assistant',
  '/dashboard/operon-ai',
  '/dashboard/operon-ai-help',
  '/dashboard/content-creator',
  '/dashboard/brand-builder',
  '/dashboard/meta-ads',
]

const executablePath = findProgram('chromium') ?? findProgram('google-chrome')
if (!executablePath) {
  console.error('There is no chromium on PATH.')
  process.exit(1)
}
const only = process.argv.slice(2).filter((arg) => arg.startsWith('/'))
const wanted = (paths: string[]) => (only.length ? paths.filter((path) => only.includes(path)) : paths)
const dataDir = mkdtempSync(join(tmpdir(), 'operon-shots-'))
chmodSync(dataDir, 0o755)
mkdirSync(out, { recursive: true })
const platform = await startAllInOne({
  env: { ...process.env, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'error', AUTH_AUTOCONFIRM: 'true', DEMO_ACCOUNTS: 'true' },
  log: console.log,
})
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
try {
  await seedDemo(platform.address)
  open.push(await openStorefront(platform))
  const session = await demoSession()
  for (const [size, viewport] of Object.entries(widths)) {
    for (const theme of ['dark', 'light'] as const) {
      await take(browser, 'open', wanted(open), { size, viewport, theme, session: null })
      await take(browser, 'seller', wanted(signedIn), { size, viewport, theme, session })
    }
  }
} finally {
  await browser.close()
  await platform.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
process.exit(0)

async function demoSession(): Promise<unknown> {
  const response = await fetch(`${platform.address}/functions/v1/demo-sign-in`, {
    method: 'POST',
    headers: { apikey: 'anon', 'content-type': 'application/json' },
    body: JSON.stringify({ portal: 'seller' }),
  })
  return response.json()
}

type Look = { size: string; viewport: { width: number; height: number }; theme: 'dark' | 'light'; session: unknown }
async function take(browser: Browser, who: string, paths: string[], { size, viewport, theme, session }: Look) {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', baseURL: platform.address })
  await context.addInitScript(
    ([chosen, kept]) => {
      localStorage.setItem('operon-theme', chosen as string)
      if (kept) localStorage.setItem('operon-auth', JSON.stringify(kept))
    },
    [theme, session] as const,
  )
  const page = await context.newPage()
  page.on(
    'console',
    (message) => message.type() === 'error' && !message.text().includes('404') && console.log(`  ${page.url()}: ${message.text()}`),
  )
  for (const path of paths) {
    await page.goto(path, { waitUntil: 'networkidle' }).catch(() => {})
    // A public page is drawn whole with the first sign of a person.
    await page.mouse.move(4, 4)
    await page.waitForFunction(
      'Object.keys(document.getElementById("root").firstElementChild ?? {}).some((key) => key.startsWith("__react"))',
    )
    await page.screenshot({ path: join(out, `${who}${path.replaceAll('/', '_')}-${size}-${theme}.png`), fullPage: true })
  }
  await context.close()
  console.log(`${who} ${size} ${theme}: ${paths.length} pages`)
}
