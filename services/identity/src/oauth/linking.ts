import { sql } from 'kysely'
import { type AuthCtx, refuse } from '../deps.ts'
import { sendLetter } from '../mail/letters.ts'
import { notify } from '../mail/notices.ts'
import type { Ended } from '../sessions/sessions.ts'
import { audit } from '../users/audit.ts'
import { keepOnlyProven } from '../users/first-proof.ts'
import { profileFrom } from '../users/profile.ts'
import { addIdentity, changeUser, createUser, findUser, isBanned, syncProviders, type Trx, type User } from '../users/users.ts'
import type { Person } from './providers.ts'

const dataOf = (person: Person) => profileFrom(saidOf(person))
const saidOf = ({ sub, email, verified, name, picture, userName }: Person): Record<string, unknown> => ({
  sub,
  provider_id: sub,
  ...(email && { email }),
  email_verified: verified,
  phone_verified: false,
  ...(name && { name, full_name: name }),
  ...(picture && { picture, avatar_url: picture }),
  ...(userName && { user_name: userName, preferred_username: userName }),
})

/** Finds the account of a person at a provider: the one linked before, the one with the same proven address, or a new one. Null when the address must be proven first. */
export async function personToUser(
  trx: Trx,
  ctx: AuthCtx,
  provider: string,
  person: Person,
  redirectTo: string,
  ended: Ended[],
): Promise<string | null> {
  const linked = await trx
    .selectFrom('identities')
    .select(['id', 'user_id'])
    .where('provider', '=', provider)
    .where('provider_id', '=', person.sub)
    .executeTakeFirst()
  const owner = person.email ? await findUser(trx, { email: person.email }) : null
  const userId = linked
    ? await returning(trx, linked, person)
    : owner
      ? await joining(trx, ctx, owner, provider, person, ended)
      : await arriving(trx, ctx, provider, person)
  if (userId === null) return null
  const user = await findUser(trx, { id: userId })
  if (!user) throw refuse(403, 'user_not_found', 'User not found')
  if (isBanned(user)) throw refuse(403, 'user_banned', 'User is banned')
  if (user.email && !user.email_confirmed_at) {
    const arrived = user.identities.find((each) => each.provider === provider && each.provider_id === person.sub)
    const claim = { data: dataOf(person), ...(arrived && { identity_id: arrived.id }) }
    await sendLetter(trx, ctx.deps, { userId, to: user.email, kind: 'signup', redirectTo, claim })
    return null
  }
  return userId
}

async function returning(trx: Trx, linked: { id: string; user_id: string }, person: Person): Promise<string> {
  const data = JSON.stringify(dataOf(person))
  await trx
    .updateTable('identities')
    .set({ identity_data: data, last_sign_in_at: new Date(), updated_at: new Date() })
    .where('id', '=', linked.id)
    .execute()
  return linked.user_id
}

/** Only a proven address joins an account. If the account itself was never proven, whoever made it loses their way in. */
async function joining(trx: Trx, ctx: AuthCtx, owner: User, provider: string, person: Person, ended: Ended[]): Promise<string | null> {
  if (!person.verified) return null
  const id = await addIdentity(trx, owner.id, provider, person.sub, dataOf(person))
  if (!owner.email_proven) {
    ended.push(...(await keepOnlyProven(trx, ctx, owner, { provider: null, claim: { identity_id: id } })))
  }
  const metadata = sql`${JSON.stringify(dataOf(person))}::jsonb || user_metadata` as never
  await changeUser(trx, owner.id, {
    user_metadata: metadata,
    email_proven: true,
    email_confirmed_at: owner.email_confirmed_at ?? new Date(),
  })
  await syncProviders(trx, owner.id)
  await audit(trx, ctx, owner.id, 'identity_linked', { provider })
  await notify(trx, ctx, owner, 'identity_linked', { provider })
  return owner.id
}

async function arriving(trx: Trx, ctx: AuthCtx, provider: string, person: Person): Promise<string | null> {
  if (ctx.deps.config.AUTH_DISABLE_SIGNUP) throw refuse(422, 'signup_disabled', 'Signups not allowed for this instance')
  const userId = await createUser(trx, {
    email: person.email,
    provider,
    data: dataOf(person),
    confirmed: person.verified,
    proven: person.verified,
  })
  if (!userId) throw refuse(409, 'conflict', 'This account was made in the meantime. Try again.')
  await addIdentity(trx, userId, provider, person.sub, dataOf(person))
  await audit(trx, ctx, userId, 'user_signedup', { provider })
  return userId
}

/** A further identity for a signed-in account. */
export async function linkPerson(trx: Trx, ctx: AuthCtx, userId: string, provider: string, person: Person): Promise<string> {
  const taken = await trx
    .selectFrom('identities')
    .select('user_id')
    .where('provider', '=', provider)
    .where('provider_id', '=', person.sub)
    .executeTakeFirst()
  if (taken)
    throw refuse(
      422,
      'identity_already_exists',
      taken.user_id === userId ? 'Identity is already linked' : 'Identity is already linked to another user',
    )
  const user = await findUser(trx, { id: userId })
  if (!user) throw refuse(403, 'user_not_found', 'User not found')
  await addIdentity(trx, userId, provider, person.sub, dataOf(person))
  const adopts = !user.email && person.email && person.verified && !(await findUser(trx, { email: person.email }))
  await changeUser(trx, userId, {
    is_anonymous: false,
    ...(adopts && { email: person.email, email_confirmed_at: new Date(), email_proven: true }),
  })
  await syncProviders(trx, userId)
  await audit(trx, ctx, userId, 'identity_linked', { provider })
  await notify(trx, ctx, user, 'identity_linked', { provider })
  return userId
}
