import type { Tier } from '@operon/contracts/plans'
import type { Ctx } from '@operon/kit/context'
import type { KitDb } from '@operon/kit/schema'
import type { Kysely, Transaction } from 'kysely'
import type { BillingDb, Status } from './schema.ts'
import type { Provider } from './stripe.ts'

export type Db = Kysely<BillingDb & KitDb>
export type Trx = Transaction<BillingDb & KitDb>
export type BillingCtx = Ctx<BillingDb>

/** What the domain functions work with beside their context. */
export type Deps = {
  provider: Provider
  publicUrl: string
  /** Whether there is somebody to ask: a key, or the sandbox in its place. */
  hasProvider: boolean
  trialOncePerCard: boolean
  /** Tells the open pages of a user, once it is committed. */
  tell(change: { user_id: string; tier: Tier; status: Status }): void
}
