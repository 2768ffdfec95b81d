import type { GuardedFetch } from '@operon/kit/fetch'
import type { Logger } from '@operon/kit/telemetry'
import { z } from 'zod'

const FRESH_MS = 6 * 3_600_000
const AGAIN_MS = 60_000
const PORKBUN = 'https://api.porkbun.com'

const cents = z.string().transform((dollars) => Math.round(Number(dollars.replaceAll(',', '')) * 100))
const PriceList = z.object({
  status: z.literal('SUCCESS'),
  pricing: z.record(z.string(), z.object({ registration: cents.pipe(z.int()), renewal: cents.pipe(z.int()) })),
})

type Prices = { asOf: Date; of: z.output<typeof PriceList>['pricing'] }

export type AskPrices = (tlds: string[]) => Promise<Prices | null>

/**
 * What a registrar asks for a first year and after. Porkbun tells its prices to everybody; the other registrars keep theirs for their
 * customers, so they are linked without one. Asked at most every few hours; while it cannot be asked, what it said last stands, with its date,
 * and nobody waits for it until a minute has passed.
 */
export function createPrices(fetch: GuardedFetch, sandbox: (() => Promise<string>) | null, log: Logger): AskPrices {
  let known: Prices | null = null
  let asking: Promise<void> | null = null
  let againAt = 0

  async function ask(tlds: string[]) {
    const base = sandbox ? await sandbox() : PORKBUN
    const response = await fetch(`${base}/api/json/v3/pricing/get`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tlds }),
      repeatable: true,
      tries: 2,
      deadlineMs: 5000,
    })
    known = { asOf: new Date(), of: PriceList.parse(await response.json()).pricing }
  }

  return async (tlds) => {
    if (Date.now() < againAt || (known && Date.now() - known.asOf.getTime() < FRESH_MS)) return known
    asking ??= ask(tlds)
      .catch((err) => {
        againAt = Date.now() + AGAIN_MS
        log.warn({ err }, 'the registrar did not tell its prices')
      })
      .finally(() => {
        asking = null
      })
    await asking
    return known
  }
}
