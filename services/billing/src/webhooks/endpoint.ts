import { DomainError } from '@operon/kit/errors'
import { inTransaction } from '@operon/kit/tx'
import type { Vault } from '@operon/kit/vault'
import { sql } from 'kysely'
import type { Db } from '../deps.ts'
import { readSetting, replaceSetting } from '../settings.ts'
import type { Provider } from '../stripe.ts'
import type { ProviderEvent } from '../stripe-shapes.ts'

type Options = { provider: Provider; db: Db; vault: Vault; url: string; secret: string | undefined }
type Registered = { id: string; secret: string }
const KEY = 'webhook:sandbox'
const ASK_AGAIN_MS = 1000

/** Our endpoint at the provider: with a real key the operator registered it, in the sandbox it is registered from here. */
export function openEndpoint({ provider, db, vault, url, secret }: Options) {
  let known = secret ?? null
  let askedAt = 0

  async function readSecret(): Promise<string | null> {
    const registered = await readSetting<Registered>(db, KEY)
    return registered && vault.open(registered.secret, KEY)
  }

  return {
    /** Made when it is missing, made again when the sandbox has forgotten it or our address is another. */
    async ensure() {
      if (secret) return
      // Instances that start together take turns.
      await inTransaction(db, async (trx) => {
        await sql`select pg_advisory_xact_lock(hashtext(${KEY}))`.execute(trx)
        const registered = await readSetting<Registered>(trx, KEY)
        const made = await provider.ensureWebhook(url, registered?.id ?? null)
        if (made) await replaceSetting(trx, KEY, { id: made.id, secret: vault.seal(made.secret, KEY) })
        // After a rotation of the master key, so that the older one can go.
        else if (registered && vault.isRotating && !registered.secret.startsWith(vault.prefix))
          await replaceSetting(trx, KEY, { ...registered, secret: vault.seal(vault.open(registered.secret, KEY), KEY) })
      })
      known = await readSecret()
    },

    async read(body: Buffer, signature: string): Promise<ProviderEvent> {
      known ??= await readSecret()
      const event = known && (await provider.readWebhook(body, signature, known))
      if (event) return event
      // Another instance may have registered anew. Who sends what is not signed does not get to ask the database each time.
      const asks = !secret && Date.now() - askedAt > ASK_AGAIN_MS
      if (asks) askedAt = Date.now()
      const fresh = asks ? await readSecret() : known
      const again = fresh && fresh !== known && (await provider.readWebhook(body, signature, fresh))
      if (!again) throw new DomainError('webhook_signature')
      known = fresh
      return again
    },
  }
}
export type Endpoint = ReturnType<typeof openEndpoint>
