import type { Row } from '@operon/contracts/contract'
import * as identityEvents from '@operon/contracts/identity/events'
import type * as identityTables from '@operon/contracts/identity/tables'
import { signedIn } from '@operon/kit/context'
import type { Query } from '@operon/kit/data/query'
import { DomainError } from '@operon/kit/errors'
import { publish } from '@operon/kit/tx'
import type { AuthCtx } from '../deps.ts'
import { limitByAddress, limitByUser } from '../limits.ts'
import { audit } from '../users/audit.ts'
import { changeUser, type Trx } from '../users/users.ts'

/** The home role, by the portal used first. The same again is harmless; another is refused: it is set once. */
export async function assignRole(
  ctx: AuthCtx,
  rows: { user_id?: string | undefined; role: 'seller' | 'buyer' }[],
): Promise<Row<typeof identityTables.userRoles>[]> {
  const { id } = signedIn(ctx)
  const [row] = rows
  if (rows.length !== 1 || !row || (row.user_id !== undefined && row.user_id !== id))
    throw new DomainError('forbidden', { message: 'new row violates row-level security policy for table "user_roles"' })
  const trx = ctx.db as Trx
  const set = await trx
    .insertInto('user_roles')
    .values({ user_id: id, role: row.role })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  const kept = await trx.selectFrom('user_roles').selectAll().where('user_id', '=', id).executeTakeFirstOrThrow()
  if (kept.role !== row.role) throw new DomainError('role_taken')
  if (set) {
    await audit(trx, ctx, id, 'role_assigned', { role: row.role })
    await publish(trx, identityEvents.roleAssigned, id, { role: row.role })
    await changeUser(trx, id, {})
  }
  return [{ ...kept, created_at: kept.created_at.toISOString() }]
}

/** `profiles` tells whether one exact address is registered and confirmed, and nothing else: no lists, no patterns, and not often enough to harvest. */
export async function oneAddressAtATime(ctx: AuthCtx, { filters }: Query): Promise<void> {
  const [filter] = filters
  const exact = filters.length === 1 && filter?.is === 'compare' && filter.op === 'eq' && filter.column === 'email' && !filter.not
  if (!exact)
    throw new DomainError('PGRST100', { status: 400, message: 'profiles answers only for one exact email address: email=eq.<address>' })
  filter.value = filter.value.trim().toLowerCase()
  const { LIMIT_PROFILES_PER_MINUTE: limit } = ctx.deps.config
  await limitByAddress(ctx, 'profiles', limit)
  if (ctx.actor.kind === 'user') await limitByUser(ctx, 'profiles', limit)
}
