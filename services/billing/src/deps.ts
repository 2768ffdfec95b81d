import type { Tier } from '@operon/contracts/plans'
import type { closedBy } from '@operon/contracts/top-ups'
import type { AskKeptOut } from '@operon/kit/banned'
import type { Ctx } from '@operon/kit/context'
import type { KitDb } from '@operon/kit/schema'
import type { Kysely, Transaction } from 'kysely'
import type { z } from 'zod'
import type { OrderOnRecord } from './sales/collected.ts'
import type { BillingDb, Status } from './schema.ts'
import type { Provider } from './stripe.ts'
import { asDomainError } from './stripe-errors.ts'

export type Db = Kysely<BillingDb & KitDb>
export type Trx = Transaction<BillingDb & KitDb>
export type BillingCtx = Ctx<BillingDb>

/** The tools of billing's domain functions, beside the call's context. */
export type Deps = {
  provider: Provider
  publicUrl: string
  /** Whether there is somebody to ask: a key, or the sandbox in its place. */
  hasProvider: boolean
  trialOncePerCard: boolean
  /** The user ids of the staff. */
  staff(): Promise<string[]>
  /** The accounts that an operator keeps out now, from an id on. */
  keptOut: AskKeptOut
  /** The marketplace's record of an order of its own. */
  orderEvidence(reference: string): Promise<OrderOnRecord>
  /** Ends a top-up where its unit is metered; answers what was left. */
  closeTopUp(topUp: z.input<(typeof closedBy)['media']['input']>): Promise<{ left: number }>
  /** Tells the open pages of a user, once it is committed. */
  tell(change: { user_id: string; tier: Tier; status: Status }): void
}

/** Gives a domain function the provider, whose troubles become answers that a caller can act on. */
export const withDeps =
  (deps: Deps) =>
  <I, O>(domain: (deps: Deps, ctx: BillingCtx, input: I) => Promise<O>) =>
  (ctx: BillingCtx, input: I) =>
    domain(deps, ctx, input).catch((error) => {
      throw asDomainError(error)
    })
