import type { Deps } from '../deps.ts'

const NEVER = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:'])
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Where a link may lead: the asked-for place when it is this site or on the list, else the site. Always the parsed form, never the given text. */
export function readRedirect({ rt, config }: Deps, asked: string | null | undefined): string {
  const home = rt.kit.PUBLIC_URL
  if (!asked || !URL.canParse(asked)) return home
  const url = new URL(asked)
  if (NEVER.has(url.protocol) || url.username || url.password) return home
  const site = new URL(home)
  if (url.origin === site.origin && url.origin !== 'null') return url.href
  // On one's own machine the web app may run on another port.
  const web = url.protocol === 'http:' || url.protocol === 'https:'
  if (web && LOOPBACK.has(site.hostname) && url.hostname === site.hostname) return url.href
  const place = `${url.protocol}//${url.host}${url.pathname}`
  return config.AUTH_REDIRECT_ALLOW_LIST.some((pattern) => patternOf(pattern).test(place)) ? url.href : home
}

const patterns = new Map<string, RegExp>()
function patternOf(glob: string): RegExp {
  const known = patterns.get(glob)
  if (known) return known
  const source = glob
    .split(/(\*\*|\*)/)
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/.]*' : part.replace(/[\\^$+?.()|[\]{}]/g, '\\$&')))
    .join('')
  const pattern = new RegExp(`^${source}/?$`)
  patterns.set(glob, pattern)
  return pattern
}
