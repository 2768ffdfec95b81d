import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/contacts'
import { leadCreated } from '@operon/contracts/crm/events'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import { assignCompany } from '../companies/assign.ts'
import { enterByTrigger } from '../email/sequences/enter.ts'
import { changed, readValues } from '../fields/fields.ts'
import type { CrmDb } from '../schema.ts'
import { keepPhone, type Trx } from './assert.ts'
import { keepMentions } from './mentions.ts'
import { contactOf } from './rows.ts'
import { readContact } from './show.ts'
import { addActivity } from './timeline.ts'

export const MOST_CONTACTS = 250_000

export async function createContact(
  ctx: Ctx<CrmDb>,
  { name, email, phone, company, job_title, status = 'new', tags = [], fields }: Input<typeof contract.createContact>,
): Promise<Output<typeof contract.createContact>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const kept = await trx.selectFrom('contact_counts').select('contacts').where('user_id', '=', userId).executeTakeFirst()
    if (kept && kept.contacts >= MOST_CONTACTS) throw new DomainError('contacts_full')
    const values = await readValues(trx, userId, fields)
    const id = newId()
    if (email) await takeAddress(trx, userId, id, email)
    const row = {
      id,
      user_id: userId,
      name,
      email,
      phone,
      company,
      job_title,
      status,
      tags: distinct(tags),
      source: 'manual',
      fields: values?.set,
    }
    await trx.insertInto('leads').values(row).execute()
    if (phone) await keepPhone(trx, userId, id, phone)
    await assignCompany(trx, userId, id)
    await enterByTrigger(trx, userId, 'tag', tags, [id])
    await publish(trx, leadCreated, userId, { lead_id: id })
    return { contact_id: id }
  })
}

/** One address, one contact: the index decides between two that take it at once. */
async function takeAddress(trx: Trx, userId: string, contactId: string, email: string) {
  const { rows } = await sql`
    insert into contact_emails (id, user_id, email, contact_id) values (${newId()}, ${userId}, ${email}, ${contactId})
    on conflict (user_id, email) do update set email = excluded.email where contact_emails.contact_id = excluded.contact_id
    returning id`.execute(trx)
  if (rows.length === 0) throw new DomainError('contact_exists')
}

export async function updateContact(
  ctx: Ctx<CrmDb>,
  input: Input<typeof contract.updateContact>,
): Promise<Output<typeof contract.updateContact>> {
  return inTransaction(ctx.db, (trx) => changeContact(trx, signedIn(ctx).id, input))
}

export async function changeContact(
  trx: Trx,
  userId: string,
  { contact_id, version, tags, fields: own, ...fields }: Input<typeof contract.updateContact>,
): Promise<Output<typeof contract.updateContact>> {
  const before = await trx
    .selectFrom('leads')
    .select(['email', 'phone', 'company', 'company_id', 'status', 'tags', 'version'])
    .where('id', '=', contact_id)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!before) throw new DomainError('not_found')
  if (version !== undefined && version !== before.version) throw new DomainError('conflict')
  const { email, phone, status } = fields
  const values = await readValues(trx, userId, own)
  if (email !== undefined && email !== before.email) {
    // The old address goes on its own: kept, it would lead later events of somebody else's to this contact.
    if (before.email)
      await trx
        .deleteFrom('contact_emails')
        .where('user_id', '=', userId)
        .where('email', '=', before.email.toLowerCase())
        .where('contact_id', '=', contact_id)
        .execute()
    if (email) await takeAddress(trx, userId, contact_id, email)
  }
  if (phone !== undefined && phone !== before.phone) {
    await trx.deleteFrom('contact_phones').where('user_id', '=', userId).where('contact_id', '=', contact_id).execute()
    if (phone) await keepPhone(trx, userId, contact_id, phone)
  }
  await trx
    .updateTable('leads')
    .set({ ...fields, ...(tags && { tags: distinct(tags) }), ...(values && { fields: changed(values) }), version: sql`version + 1` })
    .where('id', '=', contact_id)
    .where('user_id', '=', userId)
    .execute()
  const moved = fields.company !== undefined && fields.company !== before.company
  if (moved || (fields.email && fields.email !== before.email && !before.company_id)) await assignCompany(trx, userId, contact_id)
  const added = tags?.filter((tag) => !before.tags.includes(tag)) ?? []
  await enterByTrigger(trx, userId, 'tag', added, [contact_id])
  if (status && status !== before.status) await noteStatus(trx, userId, contact_id, before.status, status)
  const { points, ...row } = await readContact(trx, userId, contact_id)
  return contactOf(row)
}

const noteStatus = (trx: Trx, userId: string, contactId: string, from: string, to: string) =>
  addActivity(trx, userId, { contactId, kind: 'change', text: `Status changed from ${from} to ${to}`, at: new Date() })

export async function editContacts(
  ctx: Ctx<CrmDb>,
  { contact_ids, status, add_tags = [], remove_tags = [], fields }: Input<typeof contract.editContacts>,
): Promise<Output<typeof contract.editContacts>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const values = await readValues(trx, userId, fields)
    const { rows } = await sql<{ id: string; added: string[] }>`
      update leads set fields = ${values ? changed(values) : sql`fields`}, status = coalesce(${status ?? null}, status), version = version + 1,
        tags = (array(select distinct tag from unnest(tags || ${add_tags}::text[]) tag where tag <> all(${remove_tags}::text[]) order by tag limit 20))
      where user_id = ${userId} and id = any(${contact_ids}::uuid[])
      returning id, array(select unnest(new.tags) except select unnest(old.tags)) as added`.execute(trx)
    for (const tag of add_tags) {
      const tagged = rows.filter(({ added }) => added.includes(tag)).map(({ id }) => id)
      await enterByTrigger(trx, userId, 'tag', [tag], tagged)
    }
    return { changed: rows.length }
  })
}

export async function addNote(
  ctx: Ctx<CrmDb>,
  { contact_id, text, kind, mentions = [] }: Input<typeof contract.addNote>,
): Promise<Output<typeof contract.addNote>> {
  return inTransaction(ctx.db, async (trx) => {
    const { id: userId } = signedIn(ctx)
    const at = new Date()
    const id = await addActivity(trx, userId, { contactId: contact_id, kind, text, at })
    if (!id) throw new DomainError('not_found')
    await keepMentions(trx, userId, { id, contactId: contact_id, text, at }, mentions)
    return { activity_id: id }
  })
}

export async function deleteNote(
  ctx: Ctx<CrmDb>,
  { activity_id }: Input<typeof contract.deleteActivity>,
): Promise<Output<typeof contract.deleteActivity>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('activities')
      .where('id', '=', activity_id)
      .where('user_id', '=', userId)
      .where('kind', 'in', ['note', 'call'])
      .where('event_id', 'is', null)
      .executeTakeFirstOrThrow()
    if (!numDeletedRows) throw new DomainError('not_found')
    // Its lines in the timelines of those it mentions.
    await trx.deleteFrom('activities').where('event_id', '=', activity_id).where('user_id', '=', userId).execute()
    return { deleted: true }
  })
}

const distinct = (tags: string[]) => [...new Set(tags)].sort()
