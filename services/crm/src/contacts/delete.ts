import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/contacts'
import { leadCountChanged } from '@operon/contracts/crm/events'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import { forgetDeletedCompanies } from '../companies/companies.ts'
import type { CrmDb } from '../schema.ts'

/** So long a deleted contact can be brought back. */
const KEPT_DAYS = 30

/** The row and its addresses go into an image. The timeline and the tasks stay where they are, and wait for it or go with it. */
export async function deleteContact(
  ctx: Ctx<CrmDb>,
  { contact_id }: Input<typeof contract.deleteContact>,
): Promise<Output<typeof contract.deleteContact>> {
  return inTransaction(ctx.db, async (trx) => {
    const { rows } = await sql<{ id: string; name: string }>`
    with gone as (delete from leads where id = ${contact_id} and user_id = ${signedIn(ctx).id} returning *),
      emails as (delete from contact_emails e using gone where e.user_id = gone.user_id and e.contact_id = gone.id returning e.*),
      phones as (delete from contact_phones p using gone where p.user_id = gone.user_id and p.contact_id = gone.id returning p.*)
    insert into contact_images (id, user_id, contact_id, image)
    select ${newId()}, user_id, gone.id, jsonb_build_object('contact', to_jsonb(gone) - 'search',
      'emails', (select coalesce(jsonb_agg(to_jsonb(emails)), '[]') from emails), 'phones', (select coalesce(jsonb_agg(to_jsonb(phones)), '[]') from phones))
    from gone returning id, image -> 'contact' ->> 'name' as name`.execute(trx)
    if (!rows[0]) throw new DomainError('not_found')
    await publish(trx, leadCountChanged, signedIn(ctx).id, { change: -1 })
    return { deletion_id: rows[0].id, name: rows[0].name }
  })
}

export async function restoreContact(
  ctx: Ctx<CrmDb>,
  { deletion_id }: Input<typeof contract.restoreContact>,
): Promise<Output<typeof contract.restoreContact>> {
  return inTransaction(ctx.db, async (trx) => {
    const kept = await trx
      .deleteFrom('contact_images')
      .where('id', '=', deletion_id)
      .where('user_id', '=', signedIn(ctx).id)
      .returning(['contact_id', sql<string>`image::text`.as('image')])
      .executeTakeFirst()
    if (!kept) throw new DomainError('not_found')
    const { rows } = await sql<{ lost: number }>`
      with image as (select ${kept.image}::jsonb as image),
        emails as (insert into contact_emails select e.* from image, jsonb_populate_recordset(null::contact_emails, image -> 'emails') e
          on conflict do nothing returning id),
        phones as (insert into contact_phones select p.* from image, jsonb_populate_recordset(null::contact_phones, image -> 'phones') p
          on conflict do nothing returning id),
        contact as (
          insert into leads (id, user_id, name, email, status, source, created_at, phone, company, job_title, tags, hot_until, last_activity_at, version, company_id, fields)
          select c.id, c.user_id, c.name, c.email, c.status, c.source, c.created_at, c.phone, c.company, c.job_title, c.tags, c.hot_until,
            c.last_activity_at, c.version + 1, c.company_id, coalesce(c.fields, '{}') from image, jsonb_populate_record(null::leads, image -> 'contact') c returning id)
      select jsonb_array_length(image -> 'emails') - (select count(*) from emails)::int as lost from image, contact`.execute(trx)
    // Somebody else has the address now. The whole transaction goes back, and the image stays.
    if (rows[0]!.lost) throw new DomainError('contact_exists')
    await publish(trx, leadCountChanged, signedIn(ctx).id, { change: 1 })
    return { contact_id: kept.contact_id }
  })
}

const PIECE = 200
export async function forgetDeleted(ctx: Pick<Ctx<CrmDb>, 'db' | 'signal'>): Promise<void> {
  for (let gone = PIECE; gone === PIECE; ) {
    ctx.signal.throwIfAborted()
    const { rows } = await sql<{ count: number }>`
      with old as (
        delete from contact_images where id in (select id from contact_images where at < now() - ${KEPT_DAYS} * interval '1 day' limit ${PIECE})
        returning user_id, contact_id
      ), activities_gone as (delete from activities a using old where a.user_id = old.user_id and a.contact_id = old.contact_id),
        merges_gone as (delete from contact_merges m using old where m.user_id = old.user_id and m.kept_id = old.contact_id returning m.user_id, m.gone_id),
        doubles_gone as (delete from activities a using merges_gone m where a.user_id = m.user_id and a.contact_id = m.gone_id),
        double_places_gone as (delete from email_sequence_people p using merges_gone m where p.user_id = m.user_id and p.contact_id = m.gone_id),
        double_files_gone as (delete from contact_files f using merges_gone m where f.user_id = m.user_id and f.contact_id = m.gone_id),
        submissions_gone as (delete from lead_submissions s using old where s.user_id = old.user_id and s.contact_id = old.contact_id),
        places_gone as (delete from email_sequence_people p using old where p.user_id = old.user_id and p.contact_id = old.contact_id),
        files_gone as (delete from contact_files f using old where f.user_id = old.user_id and f.contact_id = old.contact_id),
        mentions_gone as (delete from note_mentions n using old where n.user_id = old.user_id and n.contact_id = old.contact_id),
        double_mentions_gone as (delete from note_mentions n using merges_gone m where n.user_id = m.user_id and n.contact_id = m.gone_id),
        tasks_gone as (delete from tasks t using old where t.user_id = old.user_id and t.contact_id = old.contact_id)
      select count(*)::int as count from old`.execute(ctx.db)
    gone = rows[0]!.count
  }
  await forgetDeletedCompanies(ctx.db)
}
