import * as identity from '@operon/contracts/identity/events'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { inTransaction, publish } from '@operon/kit/tx'
import type { AuthCtx } from '../deps.ts'
import { limitByAddress } from '../limits.ts'
import { beginSession, type SessionJson } from '../sessions/sessions.ts'
import { createUser, type Trx } from '../users/users.ts'
import { eraseUser } from './account.ts'

const HOUR_MS = 3_600_000
const DEMO_MS = 24 * HOUR_MS
const ERASED_AT_ONCE = 100
// No title or family name: the greeting and the storefront read it.
const NAMES = { seller: 'Mara', buyer: 'Theo' }

/** One click into an account of one's own that is made up, and gone after a day. It has no address and no password. */
export async function demoSignIn(ctx: AuthCtx, { portal }: { portal: 'seller' | 'buyer' }): Promise<SessionJson> {
  const { config } = ctx.deps
  if (!config.DEMO_ACCOUNTS) throw new DomainError('not_found')
  await limitByAddress(ctx, 'demo', config.LIMIT_DEMOS_PER_HOUR, HOUR_MS)
  await makeRoom(ctx)
  return inTransaction(ctx.db, async (trx: Trx) => {
    const endsAt = new Date(now() + DEMO_MS)
    const name = NAMES[portal]
    const id = await createUser(trx, { provider: 'demo', data: { name }, demoEndsAt: endsAt })
    if (!id) throw new DomainError('unavailable')
    await trx.insertInto('user_roles').values({ user_id: id, role: portal }).execute()
    await publish(trx, identity.roleAssigned, id, { role: portal })
    await publish(trx, identity.demoCreated, id, { portal, name, ends_at: endsAt.toISOString() })
    return beginSession(trx, ctx, id, 'demo')
  })
}

/** Erases demos whose day is over, the way that any account is erased. */
export async function sweepDemos(ctx: AuthCtx, _run: unknown): Promise<void> {
  const over = await openDemos(ctx).where('demo_ends_at', '<', new Date(now())).orderBy('demo_ends_at').limit(ERASED_AT_ONCE).execute()
  await eraseDemos(ctx, over)
}

/** With as many demos open as may be, the one that ends first makes room. */
async function makeRoom(ctx: AuthCtx): Promise<void> {
  const { LIMIT_DEMOS_OPEN: most } = ctx.deps.config
  const beyond = await openDemos(ctx)
    .orderBy('demo_ends_at', 'desc')
    .offset(most - 1)
    .limit(ERASED_AT_ONCE)
    .execute()
  await eraseDemos(ctx, beyond)
}

const openDemos = ({ db }: AuthCtx) => db.selectFrom('users').select('id').where('demo_ends_at', 'is not', null)

async function eraseDemos(ctx: AuthCtx, demos: { id: string }[]): Promise<void> {
  for (const { id } of demos)
    await eraseUser(ctx, id).catch((error) => {
      // Another visitor, or the sweep, erased it at the same moment.
      if (!(error instanceof DomainError && error.code === 'not_found')) throw error
    })
}
