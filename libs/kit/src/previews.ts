import type { Endpoint, Event } from '@operon/contracts/contract'
import type { Preview } from '@operon/contracts/preview'
import { money } from '@operon/contracts/words'
import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import { usageOf } from './allowance.ts'
import { type Ctx, signedIn } from './context.ts'
import { asTrial, ReachedOutside } from './trial.ts'
import { inTransaction, type NewRow, recordWrites } from './tx.ts'

// The effect that an action would have, for the person who approves it. One that works in its own database alone is tried in a transaction that is
// rolled back, so that its own guards decide and its own statements change the rows. Of any other the rows that its input names are shown.

/** A table that previews speak of. Tables that are not named are the service's own affair. */
type PreviewedTable = {
  /** "contact" */
  one: string
  many?: string
  /** The `x-id` that inputs name its rows by. */
  id?: string
  /** Whose they are; `user_id` where it is not said. */
  owner?: string
  /** Set when a row is deleted but kept. */
  deletedAt?: string
  /** Columns with their words; the first two say which row it is. */
  shows?: Record<string, string>
}
export type Previewed = Record<string, PreviewedTable>

type Row = Record<string, unknown>
type Db = Kysely<any>
type Tried = { contract: Endpoint; run(ctx: Ctx<any>, input: any): Promise<unknown> }
const MOST_NAMED = 10
const MOST_LETTERS = 20

export async function previewOf(ctx: Ctx<any>, tables: Previewed, { contract, run }: Tried, input: any): Promise<Preview> {
  const unit = contract.action?.unit
  const left = unit && leftOf(unit, await usageOf(ctx.db, signedIn(ctx).id, unit))
  const tried =
    contract.idempotent === true ? await tryOut(ctx, tables, { contract, run }, input) : await look(ctx.db, ctx, tables, contract, input)
  return { ...tried, ...(left && { left }) }
}

/** Carries the answer out of the transaction that it ends. */
class RolledBack extends Error {
  readonly preview: Preview
  constructor(preview: Preview) {
    super('a trial was rolled back')
    this.preview = preview
  }
}

async function tryOut(ctx: Ctx<any>, tables: Previewed, { contract, run }: Tried, input: any): Promise<Preview> {
  try {
    return await inTransaction(ctx.db as Db, async (trx) => {
      const written = recordWrites(trx)
      const before = await named(trx, ctx, tables, contract, input)
      const counted = await countsOf(trx)
      contract.reply.parse(await asTrial(() => run({ ...ctx, db: trx as never }, input)))
      const counts = differences(counted, await countsOf(trx))
      const after = await named(trx, ctx, tables, contract, input)
      const { changes: others = [], ...rest } = await countsIn(trx, ctx, tables, before, after, counts)
      const changes = [...changesOf(before, after), ...others]
      throw new RolledBack({
        ...aboutOf(before),
        ...(changes.length > 0 && { changes }),
        ...rest,
        ...(await lettersOf(written)),
      })
    })
  } catch (error) {
    if (error instanceof RolledBack) return error.preview
    if (error instanceof ReachedOutside) return look(ctx.db, ctx, tables, contract, input)
    throw error
  }
}

const look = async (db: Db, ctx: Ctx<any>, tables: Previewed, contract: Endpoint, input: any): Promise<Preview> =>
  aboutOf(await named(db, ctx, tables, contract, input))

type Named = { table: string; of: PreviewedTable; id: string; row: Row }
/** The first rows, and how many more are named of each table. */
type AllNamed = Named[] & { more: Map<PreviewedTable, number> }

/** The person's own rows that the input names by their ids. */
async function named(db: Db, ctx: Ctx<any>, tables: Previewed, contract: Endpoint, input: Row): Promise<AllNamed> {
  const found: AllNamed = Object.assign([], { more: new Map() })
  for (const [field, id] of Object.entries(idsIn(contract))) {
    const [table, of] = Object.entries(tables).find(([, { id: known, shows }]) => known === id && shows) ?? []
    const ids = [input?.[field]].flat().filter((each) => typeof each === 'string')
    if (!table || !of || !ids.length) continue
    const own = db
      .selectFrom(table)
      .where('id', 'in', ids)
      .where(of.owner ?? 'user_id', '=', signedIn(ctx).id)
    const rows = await own
      .select(['id', ...columnsOf(of)])
      .orderBy('id')
      .limit(MOST_NAMED)
      .execute()
    if (ids.length > MOST_NAMED) {
      const { all } = await own.select(({ fn }) => fn.countAll().as('all')).executeTakeFirstOrThrow()
      if (Number(all) > rows.length) found.more.set(of, Number(all) - rows.length)
    }
    found.push(...rows.map((row: Row) => ({ table, of, id: String(row.id), row })))
  }
  return found
}

const columnsOf = ({ shows = {}, deletedAt }: PreviewedTable) => {
  const shown = Object.keys(shows)
  return [
    ...shown,
    ...(shown.some((column) => column.endsWith('_cents')) && !shown.includes('currency') ? ['currency'] : []),
    ...(deletedAt ? [deletedAt] : []),
  ]
}

const known = new WeakMap<Endpoint, Record<string, string>>()
/** The fields of the body that are ids, one or a list, by what they are ids of. */
export function idsIn(contract: Endpoint): Record<string, string> {
  const remembered = known.get(contract)
  if (remembered) return remembered
  const json = contract.body ? (z.toJSONSchema(contract.body, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as any) : {}
  const fields: Record<string, any> = json.properties ?? json.anyOf?.find((each: any) => each.properties)?.properties ?? {}
  const ids = Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const id = [field, field.items, ...(field.anyOf ?? [])].find((each) => each?.['x-id'])?.['x-id']
      return id ? [[name, String(id)]] : []
    }),
  )
  known.set(contract, ids)
  return ids
}

function aboutOf(rows: AllNamed): Preview {
  const about = rows.map(({ of, row }) => `${capital(of.one)}: ${nameOf(of, row)}`)
  for (const [of, more] of rows.more) about.push(moreOf(of, more))
  return about.length ? { about } : {}
}
const nameOf = ({ shows = {} }: PreviewedTable, row: Row) =>
  Object.keys(shows)
    .slice(0, 2)
    .map((column) => worded(row, column))
    .filter((word) => word !== NOTHING)
    .join(', ') || 'without a name'

function changesOf(before: Named[], after: Named[]): string[] {
  return before.flatMap((was) => {
    const is = after.find(({ table, id }) => table === was.table && id === was.id)
    if (!is) return []
    const whose = before.length > 1 ? `${nameOf(was.of, was.row)}. ` : ''
    return Object.entries(was.of.shows ?? {}).flatMap(([column, label]) => {
      if (JSON.stringify(was.row[column]) === JSON.stringify(is.row[column])) return []
      const [from, to] = [worded(was.row, column), worded(is.row, column)]
      return [from === to ? `${whose}${label}: edited` : `${whose}${label}: ${from} → ${to}`]
    })
  })
}

type Counts = Map<string, { added: number; changed: number; deleted: number }>

/** So many rows of each table this session has written. Cascades and triggers count too. */
async function countsOf(trx: Db): Promise<Counts> {
  const { rows } = await sql<{ table: string; added: number; changed: number; deleted: number }>`
    select relname as table, n_tup_ins::int as added, n_tup_upd::int as changed, n_tup_del::int as deleted
    from pg_stat_xact_user_tables where n_tup_ins + n_tup_upd + n_tup_del > 0`.execute(trx)
  return new Map(rows.map(({ table, ...counts }) => [table, counts]))
}
const differences = (before: Counts, after: Counts): Counts =>
  new Map(
    [...after].map(([table, { added, changed, deleted }]) => {
      const was = before.get(table)
      return [table, { added: added - (was?.added ?? 0), changed: changed - (was?.changed ?? 0), deleted: deleted - (was?.deleted ?? 0) }]
    }),
  )

async function countsIn(trx: Db, ctx: Ctx<any>, tables: Previewed, before: AllNamed, after: Named[], counts: Counts): Promise<Preview> {
  const said: Record<'adds' | 'changes' | 'deletes', string[]> = { adds: [], changes: [], deletes: [] }
  for (const [table, of] of Object.entries(tables)) {
    const own = before.filter((each) => each.table === table)
    const hidden = own.filter(
      ({ id, row }) => of.deletedAt && !row[of.deletedAt] && after.some((each) => each.id === id && each.row[of.deletedAt!]),
    )
    const { added = 0, changed = 0, deleted = 0 } = counts.get(table) ?? {}
    if (added) said.adds.push(...(await addedOf(trx, ctx, table, of, added)))
    const seen = own.filter(({ id, row }) => after.some((each) => each.id === id && JSON.stringify(each.row) !== JSON.stringify(row)))
    const beyond = Math.max(0, Math.min(changed - seen.length, before.more.get(of) ?? 0))
    const gone = deleted + hidden.length + (hidden.length && beyond)
    if (gone) said.deletes.push(amount(of, gone))
    if (beyond && !hidden.length) said.changes.push(moreOf(of, beyond))
    if (changed && !own.length) said.changes.push(amount(of, changed))
  }
  return Object.fromEntries(Object.entries(said).filter(([, lines]) => lines.length))
}

/** The one that was added, else how many: ids rise, so the newest row is the last. */
async function addedOf(trx: Db, ctx: Ctx<any>, table: string, of: PreviewedTable, added: number): Promise<string[]> {
  if (added > 1 || !of.shows) return [amount(of, added)]
  const row: Row | undefined = await trx
    .selectFrom(table)
    .select(['id', ...columnsOf(of)])
    .where(of.owner ?? 'user_id', '=', signedIn(ctx).id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? [`${capital(of.one)}: ${nameOf(of, row)}`] : []
}

/** The events that the trial would have published, as far as others get a letter of them. */
async function lettersOf(rows: readonly NewRow[]): Promise<Preview> {
  const { durableEvents } = await import('@operon/contracts/registry')
  const events = new Map<string, Event>(durableEvents().map((event) => [event.name, event]))
  const letters = rows.flatMap(({ kind, name, payload }) => {
    const letter = kind === 'event' ? events.get(name)?.letter?.(payload as never, '') : null
    return letter ? [`${letter.to}: ${letter.subject}`] : []
  })
  const more = letters.length - MOST_LETTERS
  return letters.length
    ? { emails: [...letters.slice(0, MOST_LETTERS), ...(more > 0 ? [`and ${more.toLocaleString('en-US')} more`] : [])] }
    : {}
}

function leftOf(unit: string, { used, reserved, limit }: { used: number; reserved: number; limit: number | null }): string {
  if (limit === null) return `Unlimited ${unit}`
  const number = (value: number) => value.toLocaleString('en-US')
  return `${number(Math.max(0, limit - used - reserved))} of ${number(limit)} ${unit} left`
}

const NOTHING = 'none'
function worded(row: Row, column: string): string {
  const value = row[column]
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && !value.length)) return NOTHING
  if (column.endsWith('_cents')) return money({ amount_cents: Number(value), currency: String(row.currency) })
  if (value instanceof Date) return `${value.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join(', ').slice(0, 200)
  if (typeof value === 'object') return '…'
  return String(value).slice(0, 200)
}
const amount = ({ one, many = `${one}s` }: PreviewedTable, count: number) => `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
const moreOf = ({ one, many = `${one}s` }: PreviewedTable, count: number) =>
  `and ${count.toLocaleString('en-US')} more ${count === 1 ? one : many}`
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
