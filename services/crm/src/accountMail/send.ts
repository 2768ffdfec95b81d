import type { Payload } from '@operon/contracts/contract'
import type { accountMail, letter } from '@operon/contracts/crm/events'
import type { Ctx } from '@operon/kit/context'
import type { JobRun } from '@operon/kit/jobs/jobs'
import type { Mailer } from '@operon/kit/mail/mailer'
import { ownersPaces, waitForTurn } from '@operon/kit/mail/turns'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'

/** Sends one mail about an account to the address that it has now. */
export const sendAccountMail =
  (rt: Runtime<CrmDb, Config>, mailer: Mailer) =>
  async (ctx: Ctx<CrmDb>, { id, payload }: JobRun<Payload<typeof accountMail>>): Promise<void> => {
    const { user_id, label, path, ...words } = payload
    if (await isErased(ctx, user_id)) return
    const person = await ctx.db.selectFrom('people').select('email').where('user_id', '=', user_id).executeTakeFirst()
    // Events come in any order; the job is tried again until the account is known.
    if (!person) throw new Error(`the account ${user_id} is not known here yet`)
    if (!person.email) return
    await waitForTurn(ctx.db, id, ownersPaces(rt.config))
    await mailer.send({ id, to: person.email, letter: { ...words, action: { label, url: `${rt.kit.PUBLIC_URL}${path}` } } })
  }

/** Sends one mail to somebody whom an event names. A buyer who has deleted their account gets none. */
export const sendLetter =
  (rt: Runtime<CrmDb, Config>, mailer: Mailer) =>
  async (ctx: Ctx<CrmDb>, { id, payload }: JobRun<Payload<typeof letter>>): Promise<void> => {
    const { to, person, label, path, ...words } = payload
    if (person && (await isErased(ctx, person))) return
    await waitForTurn(ctx.db, id, ownersPaces(rt.config))
    await mailer.send({ id, to, letter: { ...words, action: { label, url: `${rt.kit.PUBLIC_URL}${path}` } } })
  }

async function isErased({ db }: Ctx<CrmDb>, userId: string): Promise<boolean> {
  return (await db.selectFrom('erased_people').select('user_id').where('user_id', '=', userId).executeTakeFirst()) !== undefined
}
