import * as identity from '@operon/contracts/identity/events'
import { DomainError } from '@operon/kit/errors'
import { inTransaction, publish } from '@operon/kit/tx'
import type { AuthCtx } from '../deps.ts'
import { beginSession, type SessionJson } from '../sessions/sessions.ts'
import { createUser, findUser, type Trx } from '../users/users.ts'

/** One click into a made-up account, for trying things out. Never in production. */
export async function demoSignIn(ctx: AuthCtx, { portal }: { portal: 'seller' | 'buyer' }): Promise<SessionJson> {
  const { config } = ctx.deps
  if (!config.DEMO_ACCOUNTS || config.NODE_ENV === 'production') throw new DomainError('not_found')
  const email = `demo-${portal}@operon.example`
  return inTransaction(ctx.db, async (trx: Trx) => {
    const made = await createUser(trx, {
      email,
      provider: 'email',
      data: { name: portal === 'seller' ? 'Demo Seller' : 'Demo Buyer', accept_terms: true },
      confirmed: true,
    })
    const user = await findUser(trx, made ? { id: made } : { email })
    if (!user) throw new DomainError('unavailable')
    const role = await trx
      .insertInto('user_roles')
      .values({ user_id: user.id, role: portal })
      .onConflict((conflict) => conflict.doNothing())
      .returning('role')
      .executeTakeFirst()
    if (role) await publish(trx, identity.roleAssigned, user.id, { role: portal })
    return beginSession(trx, ctx, user.id, 'demo')
  })
}
