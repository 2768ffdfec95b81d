import type { Input, Output } from '@operon/contracts/contract'
import * as contract from '@operon/contracts/crm/companies'
import { companyAdded, companyChanged, companyFields } from '@operon/contracts/crm/events'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction, publish } from '@operon/kit/tx'
import { type Kysely, sql } from 'kysely'
import { notesAbout } from '../contacts/mentions.ts'
import { placeAfter, readPlace } from '../places.ts'
import type { CrmDb } from '../schema.ts'

type Call = Ctx<CrmDb>
type Company = Output<typeof contract.findCompanies>['companies'][number]
type Row = Omit<Company, 'created_at'> & { created_at: Date }

const MOST = 100_000
const KEPT_DAYS = 30
/** A contact that was deleted is in no company, and a company of a hundred thousand is counted no longer than one of a thousand. */
const columns = sql`c.id, c.name, c.domain, c.phone, c.notes, c.created_at, c.version, (
  select count(*)::int from (select from leads l where l.user_id = c.user_id and l.company_id = c.id limit ${contract.COUNTED}) counted) as contacts`
const shown = ({ created_at, ...row }: Row): Company => ({ ...row, created_at: created_at.toISOString() })

const orders = {
  name: { by: sql`lower(c.name)`, type: sql`text`, way: '>', shape: /^/ },
  newest: { by: sql`c.id`, type: sql`uuid`, way: '<', shape: /^[0-9a-f-]{36}$/ },
} as const

export async function findCompanies(
  ctx: Call,
  { query, sort, limit, cursor }: Input<typeof contract.findCompanies>,
): Promise<Output<typeof contract.findCompanies>> {
  const { by, type, way, shape } = orders[sort]
  const place = readPlace(cursor, sort, shape)
  const direction = sql.raw(way === '<' ? 'desc' : 'asc')
  const words = query?.trim().toLowerCase()
  const { rows } = await sql<Row & { by: string }>`
    select ${columns}, (${by})::text as by from companies c where c.user_id = ${signedIn(ctx).id} and c.deleted_at is null
      ${words ? sql`and lower(c.name || ' ' || coalesce(c.domain, '')) like ${`%${words.replace(/[\\%_]/g, '\\$&')}%`}` : sql``}
      ${place ? sql`and ${by} ${sql.raw(way)} ${place.by}::${type}` : sql``}
    order by ${by} ${direction} limit ${limit + 1}`.execute(ctx.db)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { companies: page.map(({ by, ...row }) => shown(row)), cursor: last ? placeAfter(sort, last.by, last.id) : null }
}

async function read(db: Kysely<any>, userId: string, companyId: string): Promise<Company> {
  const { rows } = await sql<Row>`
    select ${columns} from companies c where c.id = ${companyId} and c.user_id = ${userId} and c.deleted_at is null`.execute(db)
  if (!rows[0]) throw new DomainError('not_found')
  return shown(rows[0])
}

export async function showCompany(
  ctx: Call,
  { company_id }: Input<typeof contract.showCompany>,
): Promise<Output<typeof contract.showCompany>> {
  const { id: userId } = signedIn(ctx)
  const company = await read(ctx.db, userId, company_id)
  return { ...company, mentions: await notesAbout(ctx.db, userId, { kind: 'company', id: company_id }) }
}

export async function createCompany(
  ctx: Call,
  given: Input<typeof contract.createCompany>,
): Promise<Output<typeof contract.createCompany>> {
  const { id: userId } = signedIn(ctx)
  const { name, notes = '' } = given
  const [domain, phone] = [given.domain ?? null, given.phone ?? null]
  return inTransaction(ctx.db, async (trx) => {
    const { rows } = await sql<{ id: string }>`
      insert into companies (id, user_id, name, domain, phone, notes)
      select ${newId()}, ${userId}, ${name}, ${domain}, ${phone}, ${notes}
      where (select count(*) from (select from companies where user_id = ${userId} limit ${MOST}) all_of_them) < ${MOST}
      on conflict do nothing returning id`.execute(trx)
    const made = rows[0]
    if (!made) throw new DomainError((await isTaken(trx, userId, name, domain)) ? 'company_exists' : 'companies_full')
    await publish(trx, companyAdded, userId, { company_id: made.id, name, domain })
    return { company_id: made.id }
  })
}

async function isTaken(db: Kysely<any>, userId: string, name: string, domain: string | null): Promise<boolean> {
  const { rows } = await sql`
    select from companies c where c.user_id = ${userId} and c.deleted_at is null and (lower(c.name) = lower(${name}) or c.domain = ${domain}) limit 1`.execute(
    db,
  )
  return rows.length > 0
}

export async function updateCompany(ctx: Call, { company_id, version, ...fields }: Input<typeof contract.updateCompany>): Promise<Company> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const updated = await takingName(() =>
      trx
        .updateTable('companies')
        .set({ ...fields, version: sql`version + 1` })
        .where('id', '=', company_id)
        .where('user_id', '=', userId)
        .where('deleted_at', 'is', null)
        .$if(version !== undefined, (of) => of.where('version', '=', version!))
        .returning(
          sql<
            Pick<Company, (typeof companyFields)[number]>
          >`json_build_object('name', old.name, 'domain', old.domain, 'phone', old.phone, 'notes', old.notes)`.as('before'),
        )
        .executeTakeFirst(),
    )
    const company = await read(trx, userId, company_id)
    if (!updated) throw new DomainError('conflict')
    const { name, domain } = company
    const changed = companyFields.filter((field) => company[field] !== updated.before[field])
    if (changed.length) await publish(trx, companyChanged, userId, { company_id, name, domain, changed })
    return company
  })
}

export async function deleteCompany(
  ctx: Call,
  { company_id }: Input<typeof contract.deleteCompany>,
): Promise<Output<typeof contract.deleteCompany>> {
  const gone = await ctx.db
    .updateTable('companies')
    .set({ deleted_at: sql<Date>`now()` })
    .where('id', '=', company_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('deleted_at', 'is', null)
    .returning('name')
    .executeTakeFirst()
  if (!gone) throw new DomainError('not_found')
  return { company_id, name: gone.name }
}

/** Its contacts never left: a company that is deleted is only not shown. */
export async function restoreCompany(
  ctx: Call,
  { company_id }: Input<typeof contract.restoreCompany>,
): Promise<Output<typeof contract.restoreCompany>> {
  const back = await takingName(() =>
    ctx.db
      .updateTable('companies')
      .set({ deleted_at: null })
      .where('id', '=', company_id)
      .where('user_id', '=', signedIn(ctx).id)
      .where('deleted_at', 'is not', null)
      .returning('id')
      .executeTakeFirst(),
  )
  if (!back) throw new DomainError('not_found')
  return { company_id }
}

async function takingName<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if ((error as { code?: string }).code === '23505') throw new DomainError('company_exists')
    throw error
  }
}

export async function forgetDeletedCompanies(db: Kysely<any>): Promise<void> {
  await sql`
    with old as (
      delete from companies where id in (
        select id from companies where deleted_at < now() - ${KEPT_DAYS} * interval '1 day' limit 5000) returning user_id, id)
    delete from note_mentions n using old where n.user_id = old.user_id and n.company_id = old.id`.execute(db)
}
