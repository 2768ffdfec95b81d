import { leadCountChanged } from '@operon/contracts/crm/events'
import type { Ctx } from '@operon/kit/context'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import { companyOf, joinCompanies, makeCompanies } from '../companies/assign.ts'
import type { Trx } from '../contacts/assert.ts'
import { MOST_CONTACTS } from '../contacts/change.ts'
import { enterByTrigger } from '../email/sequences/enter.ts'
import type { CrmDb } from '../schema.ts'
import { classify } from './classify.ts'

const GROWN = 2_000
/** The step asked of an import, done once: the state is changed in the same transaction, so a job that runs again finds nothing to do. */
export async function workOnImport(ctx: Pick<Ctx<CrmDb>, 'db' | 'log'>, importId: string): Promise<void> {
  const grown = await inTransaction(ctx.db, async (trx) => {
    const run = await trx.selectFrom('import_runs').selectAll().where('id', '=', importId).forUpdate().executeTakeFirst()
    if (!run) return 0
    // A merge of 100,000 rows takes longer than a request may.
    await sql`set local statement_timeout = '10min'`.execute(trx)
    // Tables that have just grown look small to the planner, and joining them row by row takes minutes.
    await sql`set local enable_nestloop = off`.execute(trx)
    if (run.state === 'undoing') await takeBack(trx as Trx, run.user_id, importId)
    if (run.state !== 'running' || !run.mapping || !run.on_match) return 0
    // The match may be old: contacts were added meanwhile.
    await classify(trx, { id: importId, userId: run.user_id, mapping: run.mapping, onMatch: run.on_match })
    return merge(trx as Trx, run.user_id, importId)
  })
  // Its list and its search would be read through until the planner learns by itself how large the account has become.
  if (grown >= GROWN) await sql`analyze leads, contact_emails, companies`.execute(ctx.db)
}

async function merge(trx: Trx, userId: string, importId: string): Promise<number> {
  const { rows } = await sql<{ room: boolean }>`
    select coalesce((select contacts from contact_counts where user_id = ${userId}), 0)
      + (select count(*) from import_rows where import_id = ${importId} and action = 'new') <= ${MOST_CONTACTS} as room`.execute(trx)
  if (!rows[0]!.room) {
    await trx.updateTable('import_runs').set({ state: 'failed' }).where('id', '=', importId).execute()
    return 0
  }
  const row = sql`jsonb_to_record(fields) as f(name text, email text, phone text, company text, job_title text, tags text[], own jsonb)`
  await makeCompanies(
    trx,
    sql`select ${userId}::uuid as user_id, f.company, f.email from import_rows r, ${row} where r.import_id = ${importId} and r.action in ('new', 'changed')`,
    importId,
  )
  // Somebody who adds one of these addresses meanwhile is waited for, and their contact stays the one that has it.
  const { rows: merged } = await sql<{ added: number; changed: number }>`
    with mine as materialized (
        select r.contact_id, r.action, f.*, coalesce(of_name.id, of_domain.id) as company_id from import_rows r cross join ${row}
        ${joinCompanies(userId, sql`f.company`, sql`f.email`)}
        where r.import_id = ${importId} and r.action in ('new', 'changed')),
      taken as (
        insert into contact_emails (id, user_id, email, contact_id)
        select uuidv7(), ${userId}, email, contact_id from mine where action = 'new' and email is not null order by email
        on conflict (user_id, email) do nothing returning contact_id
      ), added as (
        insert into leads (id, user_id, name, email, phone, company, job_title, tags, status, source, company_id, fields)
        select contact_id, ${userId}, name, email, phone, company, job_title, tags, 'new', 'import', company_id, coalesce(own, '{}') from mine
        where action = 'new' and (email is null or contact_id in (select contact_id from taken)) returning id
      ), changed as (
        update leads set name = mine.name, phone = mine.phone, company = mine.company, job_title = mine.job_title,
          tags = array(select distinct tag from unnest(leads.tags || mine.tags) tag order by tag limit 20), version = version + 1, fields = coalesce(mine.own, leads.fields),
          company_id = case when mine.company is distinct from leads.company then mine.company_id else leads.company_id end
        from mine where mine.action = 'changed' and leads.id = mine.contact_id and leads.user_id = ${userId} returning leads.id
      )
    select (select count(*) from added)::int as added, (select count(*) from changed)::int as changed`.execute(trx)
  await sql`
    insert into contact_phones (id, user_id, contact_id, phone)
    select uuidv7(), ${userId}, l.id, case when l.phone like '+%' then '+' else '' end || regexp_replace(l.phone, '[^0-9]', '', 'g')
    from import_rows r join leads l on l.id = r.contact_id and l.user_id = ${userId}
    where r.import_id = ${importId} and r.action in ('new', 'changed') and l.phone is not null on conflict do nothing`.execute(trx)
  const { added, changed } = merged[0]!
  await enterImported(trx, userId, importId)
  await trx.updateTable('import_runs').set({ state: 'done', added, changed }).where('id', '=', importId).execute()
  if (added) await publish(trx, leadCountChanged, userId, { change: added })
  return added
}

/** Once for each tag that lets people into a sequence, of which there are few. */
async function enterImported(trx: Trx, userId: string, importId: string): Promise<void> {
  const { rows } = await sql<{ tag: string; contacts: string[] }>`
    select q.tag, array_agg(r.contact_id) as contacts
    from (select distinct trigger_of as tag from email_sequences where user_id = ${userId} and trigger_kind = 'tag' and state <> 'draft') q
    join import_rows r on r.import_id = ${importId} and r.action in ('new', 'changed') and r.fields -> 'tags' @> to_jsonb(q.tag)
      and not coalesce(r.before -> 'tags' @> to_jsonb(q.tag), false)
    group by q.tag`.execute(trx)
  for (const { tag, contacts } of rows) await enterByTrigger(trx, userId, 'tag', [tag], contacts)
}

/** Only what nobody touched since: a contact that was changed, or with which something happened, is worth more than a tidy undo. */
async function takeBack(trx: Trx, userId: string, importId: string): Promise<void> {
  const { rows } = await sql<{ removed: number; restored: number; all: number }>`
    with mine as materialized (select contact_id, action, before from import_rows where import_id = ${importId} and action in ('new', 'changed')),
      removed as (
        delete from leads using mine where mine.action = 'new' and leads.id = mine.contact_id and leads.user_id = ${userId} and leads.version = 1
          and not exists (select from activities a where a.user_id = ${userId} and a.contact_id = leads.id)
          and not exists (select from contact_files f where f.user_id = ${userId} and f.contact_id = leads.id)
          and not exists (select from tasks t where t.user_id = ${userId} and t.contact_id = leads.id) returning leads.id
      ), emails as (delete from contact_emails e using removed where e.user_id = ${userId} and e.contact_id = removed.id),
      phones as (delete from contact_phones p using removed where p.user_id = ${userId} and p.contact_id = removed.id),
      restored as (
        update leads set name = b.name, phone = b.phone, company = b.company, job_title = b.job_title, tags = b.tags, version = leads.version + 1, fields = coalesce(b.fields, leads.fields),
          company_id = case when b.company is distinct from leads.company then ${companyOf(sql`leads.user_id`, sql`b.company`, sql`leads.email`)} else leads.company_id end
        from mine, jsonb_to_record(mine.before) as b(name text, phone text, company text, job_title text, tags text[], version integer, fields jsonb)
        where mine.action = 'changed' and leads.id = mine.contact_id and leads.user_id = ${userId} and leads.version = b.version + 1 returning leads.id
      )
    select (select count(*) from removed)::int as removed, (select count(*) from restored)::int as restored, (select added + changed from import_runs where id = ${importId}) as all`.execute(
    trx,
  )
  const { removed, restored, all } = rows[0]!
  await sql`
    delete from companies c where c.import_id = ${importId} and c.user_id = ${userId} and c.version = 1 and c.deleted_at is null
      and not exists (select from leads l where l.user_id = c.user_id and l.company_id = c.id)`.execute(trx)
  await trx
    .updateTable('import_runs')
    .set({ state: 'undone', undone: JSON.stringify({ removed, restored, kept: Math.max(0, all - removed - restored) }) as never })
    .where('id', '=', importId)
    .execute()
  if (removed) await publish(trx, leadCountChanged, userId, { change: -removed })
}
