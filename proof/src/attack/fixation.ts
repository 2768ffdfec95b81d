import { pressedCookie } from '@operon/contracts/identity/arrival'
import { findProgram } from '@operon/deploy/machine'
import { type BrowserContext, chromium } from '@playwright/test'
import type { Attack, Kept } from './world.ts'

// S26: a stranger's tokens in the address of any page, in a browser that is signed in and in one that is not. Nobody's session is replaced.
export const attack: Attack = async (world) => {
  const executablePath = findProgram('chromium-headless-shell', 'chromium', 'google-chrome')
  if (!executablePath) return { tried: 0, findings: [], notes: ['not tried: there is no chromium on PATH'] }
  const findings: string[] = []
  let tried = 0
  const owner = (await world.actor('seller')).session!
  const stranger = (await world.actor('other seller')).session!
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] })
  try {
    for (const path of world.short ? pages.slice(0, 3) : pages)
      for (const type of world.short ? types.slice(0, 2) : types)
        for (const [what, extra] of world.short ? disguises.slice(0, 1) : disguises)
          for (const kept of [owner, null]) {
            const context = await browser.newContext({ baseURL: world.url, reducedMotion: 'reduce' })
            const link = `${path}${extra}#access_token=${stranger.access_token}&refresh_token=${stranger.refresh_token}&expires_in=3600&token_type=bearer${type}`
            tried++
            const now = await visit(context, kept, link)
            if (now !== (kept?.user.email ?? null)) findings.push(`${path} ${type} ${what}: ${kept ? 'the owner' : 'nobody'} became ${now}`)
            await context.close()
          }
  } finally {
    await browser.close()
  }
  return { tried, findings }

  /** The owner of the browser's session once the page has come to rest. */
  async function visit(context: BrowserContext, kept: Kept | null, link: string): Promise<string | null> {
    // Of another session, as a page of a stranger's could have left it.
    await context.addCookies([{ name: pressedCookie, value: crypto.randomUUID(), url: world.url }])
    const page = await context.newPage()
    await page.goto('/security')
    if (kept) await page.evaluate((value) => localStorage.setItem('operon-auth', value), JSON.stringify(kept))
    await page.goto('about:blank')
    await page.goto(link)
    await page.mouse.move(4, 4)
    const question = page.getByRole('heading', { name: /Continue as .+\?$/ })
    await question.waitFor({ timeout: 20_000 }).catch(() => findings.push(`${link.slice(0, 60)}: nobody was asked`))
    return page.evaluate(() => JSON.parse(localStorage.getItem('operon-auth') ?? 'null')?.user.email ?? null)
  }
}

const pages = [
  '/',
  '/auth/seller',
  '/dashboard',
  '/reset-password',
  '/auth',
  '/pricing',
  '/buyer-dashboard',
  '/dashboard/settings',
  '/marketplace/nobody',
  '/nowhere',
]
const types = ['', '&type=signup', '&type=recovery', '&type=magiclink', '&provider_token=x']
const disguises = [
  ['with a made-up mark', '?asked=00000000000000000000000000000000'],
  ['bare', ''],
] as const
