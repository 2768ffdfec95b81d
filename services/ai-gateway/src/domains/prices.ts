import type { GuardedFetch } from '@operon/kit/fetch'
import type { Logger } from '@operon/kit/telemetry'
import { type PriceList, type Registrar, registrars } from './registrars.ts'

const FRESH_MS = 6 * 3_600_000
const AGAIN_MS = 60_000

type Prices = { asOf: Date; of: PriceList }
type AskOne = (tlds: readonly string[]) => Promise<Prices | null>
export type AskPrices = (registrar: Registrar, tlds: readonly string[]) => Promise<Prices | null>
type PriceKeys = { VERCEL_TOKEN?: string | undefined; NAMESILO_API_KEY?: string | undefined }

/** The prices of each registrar. Without the key that its list needs there are none, and the registrar is linked without a price. */
export function createPrices(fetch: GuardedFetch, sandbox: (() => Promise<string>) | null, keys: PriceKeys, log: Logger): AskPrices {
  const asked = new Map<Registrar, AskOne>()
  for (const registrar of registrars) {
    const key = sandbox ? 'sandbox' : registrar.keyIn ? keys[registrar.keyIn] : ''
    if (key !== undefined) asked.set(registrar, createList({ registrar, key, fetch, sandbox, log }))
  }
  return async (registrar, tlds) => (await asked.get(registrar)?.(tlds)) ?? null
}

type ListDeps = { registrar: Registrar; key: string; fetch: GuardedFetch; sandbox: (() => Promise<string>) | null; log: Logger }

/** Asks at most every few hours. While a registrar fails its last list stands, with its date, and no request waits for it until a minute has passed. */
function createList({ registrar, key, fetch, sandbox, log }: ListDeps): AskOne {
  let known: Prices | null = null
  let asking: Promise<void> | null = null
  let againAt = 0

  async function ask(tlds: readonly string[]) {
    const base = sandbox ? await sandbox() : registrar.origin
    const of = await registrar.prices((path, options) => fetch(base + path, { tries: 2, deadlineMs: 5000, ...options }), tlds, key)
    known = { asOf: new Date(), of }
  }

  return async (tlds) => {
    if (Date.now() < againAt || (known && Date.now() - known.asOf.getTime() < FRESH_MS)) return known
    asking ??= ask(tlds)
      .catch((err) => {
        againAt = Date.now() + AGAIN_MS
        log.warn(
          { err, registrar: registrar.provider },
          'a registrar did not send its prices; the last list stays, the next try is in a minute',
        )
      })
      .finally(() => {
        asking = null
      })
    await asking
    return known
  }
}
