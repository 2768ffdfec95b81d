// Whether a person or a program opened an email. It cannot be known, so what is doubtful counts as a machine: the figure of people is never too high.

const PROGRAMS =
  /bot\b|crawl|spider|preview|prefetch|scan|monitor|barracuda|mimecast|proofpoint|forcepoint|safelinks|symantec|trend ?micro|sophos|fireeye|zscaler|curl\/|wget\/|python|go-http|java\/|okhttp|headless|phantom|node-fetch|undici|axios|libwww|httpclient/i
/** Apple's and Yahoo's load every picture beforehand; Google's asks when the email is opened. */
const LOADS_BEFOREHAND = /YahooMailProxy/i
const PLAIN_APPLE = /^Mozilla\/5\.0$/
const SECONDS_OF_SCANNERS = 3

export type Look = { userAgent: string; method?: string; purpose?: string | undefined; sentAt: Date | null; now?: number }

export function isMachine({ userAgent, method = 'GET', purpose, sentAt, now = Date.now() }: Look): boolean {
  if (method === 'HEAD' || /prefetch|prerender|preview/i.test(purpose ?? '')) return true
  const agent = userAgent.trim()
  if (!agent || PROGRAMS.test(agent) || LOADS_BEFOREHAND.test(agent) || PLAIN_APPLE.test(agent)) return true
  // Scanners follow every link as soon as an email arrives; nobody reads one that fast.
  return sentAt !== null && now - sentAt.getTime() < SECONDS_OF_SCANNERS * 1000
}
