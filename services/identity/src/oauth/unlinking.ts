import { inTransaction } from '@operon/kit/tx'
import type { Updateable } from 'kysely'
import { type AuthCtx, refuse } from '../deps.ts'
import { notify } from '../mail/notices.ts'
import type { IdentityDb } from '../schema.ts'
import { audit } from '../users/audit.ts'
import { tellOfNewEmail } from '../users/confirm.ts'
import {
  changeUser,
  currentUser,
  demandSecondFactor,
  findUser,
  type IdentityRow,
  syncProviders,
  type Trx,
  type User,
} from '../users/users.ts'

type Change = Updateable<IdentityDb['users']>

/** Secrets that open the account beside this sign-in: they are removed with it. */
const goesWith: Record<string, Change> = {
  email: { password_hash: null },
  phone: { phone: null, phone_confirmed_at: null },
}

export async function unlinkIdentity(ctx: AuthCtx, { identity_id: id }: { identity_id: string }): Promise<Record<string, never>> {
  if (!ctx.deps.config.AUTH_MANUAL_LINKING) throw refuse(404, 'manual_linking_disabled', 'Manual linking is disabled')
  const { user, session } = await currentUser(ctx)
  demandSecondFactor(user, session, 'unlink an identity')
  if (user.identities.length <= 1) throw lastOne()
  const identity = user.identities.find((each) => each.id === id)
  if (!identity) throw notTheirs()
  const { provider } = identity
  await inTransaction(ctx.db, async (trx: Trx) => {
    // Two unlinks at once must not leave none: the user's row is the lock.
    await trx.selectFrom('users').select('id').where('id', '=', user.id).forUpdate().execute()
    const before = await findUser(trx, { id: user.id })
    const left = before?.identities.filter((each) => each.id !== id) ?? []
    if (!before || left.length === before.identities.length) throw notTheirs()
    if (!left.length) throw lastOne()
    await trx.deleteFrom('identities').where('id', '=', id).where('user_id', '=', user.id).execute()
    const moved = provider === 'phone' ? {} : await nextAddress(trx, ctx, before, left)
    await changeUser(trx, user.id, { ...goesWith[provider], ...moved })
    await syncProviders(trx, user.id)
    await audit(trx, ctx, user.id, 'identity_unlinked', { provider })
    await notify(trx, ctx, before, 'identity_unlinked', { provider })
    if (moved.email) await tellOfNewEmail(trx, ctx, before, moved.email)
  })
  return {}
}

const lastOne = () => refuse(422, 'single_identity_not_deletable', 'User must have at least 1 identity after unlinking')
const notTheirs = () => refuse(422, 'identity_not_found', "Identity doesn't exist")

/**
 * An account keeps its address while a sign-in with it is left. Else the address moves to another one's, a verified one first,
 * and whatever was sent to the address before is worth nothing any more.
 */
async function nextAddress(trx: Trx, ctx: AuthCtx, user: User, left: IdentityRow[]): Promise<Change & { email?: string | null }> {
  if (!user.email || left.some((each) => emailOf(each) === user.email)) return {}
  const next = await firstFree(
    trx,
    left.toSorted((a, b) => rankOf(a) - rankOf(b)),
  )
  if (!next) throw refuse(422, 'email_conflict_identity_not_deletable', 'Unable to unlink identity due to email conflict')
  await trx.deleteFrom('one_time_tokens').where('user_id', '=', user.id).execute()
  const email = emailOf(next)
  const proven = email !== null && isVerified(next)
  const confirmed = proven || (email !== null && ctx.deps.config.AUTH_AUTOCONFIRM)
  return {
    email,
    email_proven: proven,
    email_confirmed_at: confirmed ? (user.email_confirmed_at ?? new Date()) : null,
    email_change: null,
    email_change_confirmed: 0,
    phone_change: null,
  }
}

/** The first whose address is nobody else's; one without an address, such as a phone number, takes none. */
async function firstFree(trx: Trx, identities: IdentityRow[]): Promise<IdentityRow | null> {
  for (const each of identities) {
    const email = emailOf(each)
    if (!email || !(await findUser(trx, { email }))) return each
  }
  return null
}

const emailOf = ({ identity_data: data }: IdentityRow): string | null => data.email || null
const isVerified = ({ identity_data: data }: IdentityRow) => data.email_verified === true
const rankOf = (identity: IdentityRow) => (emailOf(identity) === null ? 2 : isVerified(identity) ? 0 : 1)
