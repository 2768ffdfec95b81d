import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/forms'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { reachable } from '../people/reachable.ts'
import type { CrmDb } from '../schema.ts'

type Call = Ctx<CrmDb>
type Rt = Pick<Runtime<CrmDb>, 'kit'>

const MOST = 50
const addressesOf = ({ PUBLIC_URL: home }: Rt['kit'], formId: string) => ({
  url: `${home}/forms/${formId}`,
  action_url: `${home}/functions/v1/forms/${formId}`,
})

export async function listLeadForms(ctx: Call, { kit }: Rt): Promise<Output<typeof contract.listLeadForms>> {
  const rows = await ctx.db
    .selectFrom('lead_forms')
    .selectAll()
    .where('user_id', '=', signedIn(ctx).id)
    .orderBy('id', 'desc')
    .limit(MOST)
    .execute()
  return {
    forms: rows.map(({ user_id, created_at, last_at, ...form }) => ({
      ...form,
      ...addressesOf(kit, form.id),
      last_at: last_at?.toISOString() ?? null,
    })),
  }
}

export async function createLeadForm(
  ctx: Call,
  given: Input<typeof contract.createLeadForm>,
  { kit }: Rt,
): Promise<Output<typeof contract.createLeadForm>> {
  const { id: user_id } = reachable(ctx)
  return inTransaction(ctx.db, async (trx) => {
    // One at a time for a person, so that the count holds.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`lead forms ${user_id}`}, 0))`.execute(trx)
    const forms = await trx.selectFrom('lead_forms').select('id').where('user_id', '=', user_id).limit(MOST).execute()
    if (forms.length >= MOST) throw new DomainError('forms_full')
    const id = newId()
    await trx
      .insertInto('lead_forms')
      .values({ id, user_id, ...given, questions: JSON.stringify(given.questions) })
      .execute()
    return { form_id: id, ...addressesOf(kit, id) }
  })
}

export async function updateLeadForm(
  ctx: Call,
  { form_id, version, ...given }: Input<typeof contract.updateLeadForm>,
): Promise<Output<typeof contract.updateLeadForm>> {
  const { id: userId } = signedIn(ctx)
  const changed = await ctx.db
    .updateTable('lead_forms')
    .set({ ...given, questions: JSON.stringify(given.questions), version: sql`version + 1` })
    .where('id', '=', form_id)
    .where('user_id', '=', userId)
    .where('version', '=', version)
    .returning('version')
    .executeTakeFirst()
  if (changed) return { form_id, version: changed.version }
  const known = await ctx.db
    .selectFrom('lead_forms')
    .select('id')
    .where('id', '=', form_id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  throw new DomainError(known ? 'conflict' : 'not_found')
}

export async function deleteLeadForm(
  ctx: Call,
  { form_id }: Input<typeof contract.deleteLeadForm>,
): Promise<Output<typeof contract.deleteLeadForm>> {
  const gone = await ctx.db
    .deleteFrom('lead_forms')
    .where('id', '=', form_id)
    .where('user_id', '=', signedIn(ctx).id)
    .returning('id')
    .executeTakeFirst()
  if (!gone) throw new DomainError('not_found')
  return { deleted: true }
}

/** A contact that was deleted waits without a link to it. */
export async function listSubmissions(
  ctx: Call,
  { form_id, limit, cursor }: Input<typeof contract.listSubmissions>,
): Promise<Output<typeof contract.listSubmissions>> {
  const rows = await ctx.db
    .selectFrom('lead_submissions as s')
    .leftJoin('leads as l', (join) => join.onRef('l.id', '=', 's.contact_id').onRef('l.user_id', '=', 's.user_id'))
    .select(['s.id', 'l.id as contact_id', 's.title', 's.name', 's.email', 's.phone', 's.company', 's.answers', 's.consent', 's.at'])
    .where('s.user_id', '=', signedIn(ctx).id)
    .$if(form_id !== undefined, (of) => of.where('s.form_id', '=', form_id!))
    .$if(cursor !== undefined, (of) => of.where('s.id', '<', cursor!))
    .orderBy('s.id', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  return {
    submissions: shown.map(({ at, ...row }) => ({ ...row, at: at.toISOString() })),
    cursor: rows.length > limit ? shown.at(-1)!.id : null,
  }
}
