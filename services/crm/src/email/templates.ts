import type { Input, Output } from '@operon/contracts/contract'
import type { EmailDocument } from '@operon/contracts/crm/email/document'
import { starters } from '@operon/contracts/crm/email/starters'
import type * as contract from '@operon/contracts/crm/email/templates'
import { MOST_TEMPLATES } from '@operon/contracts/crm/email/templates'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { sql } from 'kysely'
import type { CrmDb } from '../schema.ts'

type Db = Ctx<CrmDb>['db']
type Listed = Output<typeof contract.saveEmailTemplate>

export async function listEmailTemplates(ctx: Ctx<CrmDb>): Promise<Output<typeof contract.listEmailTemplates>> {
  const rows = await ctx.db
    .selectFrom('email_templates')
    .select(['id', 'name', 'subject', 'changed_at'])
    .where('user_id', '=', signedIn(ctx).id)
    .orderBy('id', 'desc')
    .limit(MOST_TEMPLATES)
    .execute()
  const ours = starters.map(({ id, name, subject }) => ({ template_id: id, name, subject, ours: true, changed_at: null }))
  return { templates: [...rows.map(listedOf), ...ours] }
}

export async function showEmailTemplate(
  ctx: Ctx<CrmDb>,
  { template_id }: Input<typeof contract.showEmailTemplate>,
): Promise<Output<typeof contract.showEmailTemplate>> {
  const found = await readTemplate(ctx.db, signedIn(ctx).id, template_id)
  return { template_id, ...found }
}

const isId = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
type Found = Pick<Listed, 'name' | 'subject' | 'ours' | 'changed_at'> & { document: EmailDocument }
/** One of ours, or one of this account. */
export async function readTemplate(db: Db, userId: string, templateId: string): Promise<Found> {
  const starter = starters.find(({ id }) => id === templateId)
  if (starter) return { name: starter.name, subject: starter.subject, document: starter.document, ours: true, changed_at: null }
  const row = isId(templateId)
    ? await db.selectFrom('email_templates').selectAll().where('id', '=', templateId).where('user_id', '=', userId).executeTakeFirst()
    : undefined
  if (!row) throw new DomainError('not_found')
  const { name, subject, document, changed_at } = row
  return { name, subject, document, ours: false, changed_at: changed_at.toISOString() }
}

export async function saveEmailTemplate(
  ctx: Ctx<CrmDb>,
  { template_id, name, subject, document }: Input<typeof contract.saveEmailTemplate>,
): Promise<Listed> {
  const { id: userId } = signedIn(ctx)
  const said = { name, subject, document: JSON.stringify(document) as never }
  if (template_id) {
    const row = await ctx.db
      .updateTable('email_templates')
      .set({ ...said, changed_at: sql<Date>`now()` })
      .where('id', '=', template_id)
      .where('user_id', '=', userId)
      .returning(['id', 'name', 'subject', 'changed_at'])
      .executeTakeFirst()
    if (!row) throw new DomainError('not_found')
    return listedOf(row)
  }
  const kept = await ctx.db.selectFrom('email_templates').select('id').where('user_id', '=', userId).limit(MOST_TEMPLATES).execute()
  if (kept.length >= MOST_TEMPLATES) throw new DomainError('templates_full')
  const row = await ctx.db
    .insertInto('email_templates')
    .values({ id: newId(), user_id: userId, ...said })
    .returning(['id', 'name', 'subject', 'changed_at'])
    .executeTakeFirstOrThrow()
  return listedOf(row)
}

export async function deleteEmailTemplate(
  ctx: Ctx<CrmDb>,
  { template_id }: Input<typeof contract.deleteEmailTemplate>,
): Promise<Output<typeof contract.deleteEmailTemplate>> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('email_templates')
    .where('id', '=', template_id)
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirstOrThrow()
  if (!numDeletedRows) throw new DomainError('not_found')
  return { deleted: true }
}

const listedOf = ({ id, name, subject, changed_at }: { id: string; name: string; subject: string; changed_at: Date }): Listed => ({
  ...{ template_id: id, name, subject, ours: false },
  changed_at: changed_at.toISOString(),
})
