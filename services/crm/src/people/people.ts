import type { Payload } from '@operon/contracts/contract'
import type { signedUp, userCreated } from '@operon/contracts/identity/events'
import type { KitDb } from '@operon/kit/schema'
import { sql, type Transaction } from 'kysely'
import type { CrmDb } from '../schema.ts'

type Trx = Transaction<CrmDb & KitDb>

/** The first record of a person stands: it is what they agreed to when they signed up. */
export async function keepSignUp(trx: Trx, userId: string, record: Payload<typeof signedUp>): Promise<void> {
  await lockPerson(trx, userId)
  const erased = await trx.selectFrom('erased_people').select('user_id').where('user_id', '=', userId).executeTakeFirst()
  if (erased) return
  const { email, name, referral_code, signup_date, accept_terms, accept_marketing } = record
  await trx
    .insertInto('sign_up_records')
    .values({ user_id: userId, email, name, referral_code, signup_date: new Date(signup_date), accept_terms, accept_marketing })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute()
}

/** Events come in any order: the newest version of the account stays. */
export async function keepPerson(trx: Trx, userId: string, { email, version }: Payload<typeof userCreated>): Promise<void> {
  await lockPerson(trx, userId)
  const erased = await trx.selectFrom('erased_people').select('user_id').where('user_id', '=', userId).executeTakeFirst()
  if (erased) return
  await trx
    .insertInto('people')
    .values({ user_id: userId, email, version })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ email, version }).where('people.version', '<', version))
    .execute()
}

export async function forgetPerson(trx: Trx, userId: string): Promise<Record<string, number>> {
  await lockPerson(trx, userId)
  await trx
    .insertInto('erased_people')
    .values({ user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  // The address of the sign-up and the one of now: either may be on the list.
  const record = await trx.deleteFrom('sign_up_records').where('user_id', '=', userId).returning('email').executeTakeFirst()
  const person = await trx.deleteFrom('people').where('user_id', '=', userId).returning('email').executeTakeFirst()
  const emails = [record?.email, person?.email].flatMap((email) => email?.toLowerCase() ?? [])
  const letters = emails.length ? await trx.deleteFrom('newsletter_subscribers').where('email', 'in', emails).returning('id').execute() : []
  return { sign_up_records: record ? 1 : 0, people: person ? 1 : 0, newsletter_subscribers: letters.length }
}

/** So that a record that arrives while its person is deleted does not stay behind. */
const lockPerson = (trx: Trx, userId: string) => sql`select pg_advisory_xact_lock(hashtextextended(${userId}, 0))`.execute(trx)
