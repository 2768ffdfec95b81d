import { DomainError } from '@operon/kit/errors'
import { inTransaction } from '@operon/kit/tx'
import type { Vault } from '@operon/kit/vault'
import { sql } from 'kysely'
import type { Db } from '../deps.ts'
import { readSetting, replaceSetting } from '../settings.ts'
import type { Provider } from '../stripe.ts'
import type { ProviderEvent } from '../stripe-shapes.ts'

type Options = { provider: Provider; db: Db; vault: Vault; url: string; secrets: string[] }
type Registered = { id: string; secret: string }
/** Ours, and the one for what happens in the accounts of sellers. Both come to one address. */
const endpoints = [
  { key: 'webhook:sandbox', sellers: false },
  { key: 'webhook:sandbox:sellers', sellers: true },
]
const KEY = endpoints[0]!.key
const ASK_AGAIN_MS = 1000

/** Our endpoints at the provider: with a real key the operator registered them, in the sandbox they are registered from here. */
export function openEndpoint({ provider, db, vault, url, secrets }: Options) {
  const isOwn = secrets.length === 0
  let known = secrets
  let askedAt = 0

  async function readSecrets(): Promise<string[]> {
    const found: string[] = []
    for (const { key } of endpoints) {
      const registered = await readSetting<Registered>(db, key)
      if (registered) found.push(vault.open(registered.secret, key))
    }
    return found
  }

  async function readBy(secrets: string[], body: Buffer, signature: string): Promise<ProviderEvent | null> {
    for (const secret of secrets) {
      const event = await provider.readWebhook(body, signature, secret)
      if (event) return event
    }
    return null
  }

  return {
    /** Made when one is missing, made again when the sandbox has forgotten it or our address is another. */
    async ensure() {
      if (!isOwn) return
      // Instances that start together take turns.
      await inTransaction(db, async (trx) => {
        await sql`select pg_advisory_xact_lock(hashtext(${KEY}))`.execute(trx)
        for (const { key, sellers } of endpoints) {
          const registered = await readSetting<Registered>(trx, key)
          const made = await provider.ensureWebhook(url, registered?.id ?? null, sellers)
          if (made) await replaceSetting(trx, key, { id: made.id, secret: vault.seal(made.secret, key) })
          // After a rotation of the master key, so that the older one can go.
          else if (registered && vault.isRotating && !registered.secret.startsWith(vault.prefix))
            await replaceSetting(trx, key, { ...registered, secret: vault.seal(vault.open(registered.secret, key), key) })
        }
      })
      known = await readSecrets()
    },

    async read(body: Buffer, signature: string): Promise<ProviderEvent> {
      if (known.length === 0) known = await readSecrets()
      const event = await readBy(known, body, signature)
      if (event) return event
      // Another instance may have registered anew. Who sends what is not signed does not get to ask the database each time.
      const asks = isOwn && Date.now() - askedAt > ASK_AGAIN_MS
      if (asks) askedAt = Date.now()
      const fresh = asks ? await readSecrets() : []
      const again = await readBy(
        fresh.filter((secret) => !known.includes(secret)),
        body,
        signature,
      )
      if (!again) throw new DomainError('webhook_signature')
      known = fresh
      return again
    },
  }
}
export type Endpoint = ReturnType<typeof openEndpoint>
