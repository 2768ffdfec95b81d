import type { RunningService } from '@operon/kit/service'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { BOUNDED } from './bounded.ts'
import { ID, LONG_CAMPAIGN, LONG_SEQUENCE, VALUES } from './values.ts'

export type Fill = {
  /** Rows of every table; those up to `from` are there already. */
  rows: number
  from?: number
  /** So many of the first new rows are the user's. */
  own: number
  userId: string
  /** Owns one row of so many. */
  ownerId: string
  ownerEvery: number
}
/** Where all messages of the owner are. */
export const LONG_CONVERSATION = '01900000-0000-7000-8000-00000000c0de'

type Column = {
  name: string
  type: string
  nullable: boolean
  generated: boolean
  /** Part of what is unique, or unique by itself. */
  unique: boolean
  alone: boolean
  allowed: string[] | null
}

/** Tables of which nobody has rows: what a process marks down for itself. */
const OF_NOBODY =
  /^(kysely_|bullmq|service_tokens$|fleet_key$|signing_keys$|provider_settings$|ledger_accounts$|month_closes$|ledger_proof$|\w+_unsummed$|\w+_default$|\w+_p\d+)/

/** Fills every table that is a service's own with made-up rows of many people, some of one's own, and says which became large (as `database.table`). */
export async function fillTables(services: RunningService[], fill: Fill): Promise<Set<string>> {
  const large = new Set<string>()
  for (const { rt } of services) {
    const { rows: names } = await sql<{ db: string; t: string }>`
      select current_database() as db, relname as t from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(rt.db)
    for (const { db, t } of names.filter(({ t }) => !OF_NOBODY.test(t))) {
      await fillTable(rt.db, t, fill)
      large.add(`${db}.${t}`)
    }
    await rt.db.connection().execute(async (db) => {
      await sql`set statement_timeout = 0`.execute(db)
      await sql`vacuum (analyze)`.execute(db)
      await sql`reset statement_timeout`.execute(db)
    })
  }
  return large
}

async function fillTable(db: Kysely<any>, table: string, fill: Fill): Promise<void> {
  const { from = 0, rows } = fill
  const columns = (await columnsOf(db, table)).filter(({ generated }) => !generated)
  const names = sql.join(columns.map(({ name }) => sql.ref(name)))
  const values = sql.join(columns.map((column) => given(`${table}.${column.name}`, fill) ?? madeUp(table, column, fill)))
  await db.transaction().execute(async (trx) => {
    // Rows that refer to nothing are as good to read as any.
    await sql`set local session_replication_role = replica`.execute(trx)
    await sql`set local synchronous_commit = off`.execute(trx)
    await sql`set local statement_timeout = 0`.execute(trx)
    const { numAffectedRows } = await sql`insert into ${sql.table(table)} (${names}) overriding system value
      select ${values} from generate_series(${sql.lit(from + 1)}, ${sql.lit(rows)}) as n on conflict do nothing`.execute(trx)
    const [made, wanted] = [Number(numAffectedRows), rows - from]
    if (made < wanted / 2) throw new Error(`${table} took ${made} rows of ${wanted}: say in values.ts how its rows differ`)
  })
}

function given(column: string, { ownerId }: Fill) {
  const value = VALUES[column]
  return typeof value === 'function' ? value(ownerId) : value
}

async function columnsOf(db: Kysely<any>, table: string): Promise<Column[]> {
  const { rows } = await sql<Column & { checks: string | null }>`
    select a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable,
      a.attgenerated <> '' or a.attidentity = 'a' as generated,
      exists (select from pg_index i where i.indrelid = a.attrelid and i.indisunique and a.attnum = any(i.indkey)) as "unique",
      exists (select from pg_index i where i.indrelid = a.attrelid and i.indisunique and i.indpred is null
        and i.indnkeyatts = 1 and i.indkey[0] = a.attnum) as alone,
      (select string_agg(pg_get_constraintdef(c.oid), ' ') from pg_constraint c
       where c.conrelid = a.attrelid and c.contype = 'c' and c.conkey = array[a.attnum]) as checks
    from pg_attribute a where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`.execute(db)
  return rows.map(({ checks, ...column }) => ({
    ...column,
    allowed: checks?.match(/'([^']+)'::text/g)?.map((each) => each.slice(1, -7)) ?? null,
  }))
}

/** Of a person, as whom a row is found. */
const PERSON = /^(user_id|seller_id|owner_id|actor_id|referrer_user_id|tenant)$/
function madeUp(table: string, { name, type, nullable, unique, alone, allowed }: Column, fill: Fill): RawBuilder<unknown> {
  if (name === 'conversation_id')
    return sql`case when n % ${sql.lit(fill.ownerEvery)} = 0 then ${sql.lit(LONG_CONVERSATION)}::uuid else gen_random_uuid() end`
  if (PERSON.test(name) || (type === 'uuid' && alone && /user_id$/.test(name))) return person(table, alone, fill)
  if (table === 'users' && name === 'id') return many(true)
  if (table === 'ai_conversations' && name === 'id')
    return sql`case when n = ${sql.lit(fill.ownerEvery)} then ${sql.lit(LONG_CONVERSATION)}::uuid else ${ID} end`
  if (table === 'email_campaigns' && name === 'id')
    return sql`case when n = ${sql.lit(fill.ownerEvery)} then ${sql.lit(LONG_CAMPAIGN)}::uuid else ${ID} end`
  if (table === 'email_sequences' && name === 'id')
    return sql`case when n = ${sql.lit(fill.ownerEvery)} then ${sql.lit(LONG_SEQUENCE)}::uuid else ${ID} end`
  if (/slug/.test(name) && type === 'text') return sql`'slug-' || n`
  if (type === 'xid8') return sql`pg_current_xact_id()`
  if (type === 'character' || name === 'currency') return sql`'usd'`
  if (type === 'uuid') return name === 'id' || name === 'entry_id' ? ID : sql`gen_random_uuid()`
  if (type === 'boolean') return sql`n % 2 = 0`
  if (type.startsWith('timestamp'))
    return nullable ? sql`case when n % 50 = 0 then now() - n * interval '1 minute' end` : sql`now() - n * interval '1 minute'`
  if (type === 'date') return sql`date '2000-01-01' + n % 9000`
  // There are not more of them; it is one column of several that are unique together.
  if (type === 'smallint' && unique) return sql`n % 32768`
  if (/^(integer|bigint|smallint|numeric|double precision)$/.test(type)) return unique ? sql`n` : sql`1 + n % 100`
  if (type === 'jsonb' || type === 'json') return sql`'{}'::jsonb`
  if (type === 'text[]') return sql`'{}'::text[]`
  if (type === 'uuid[]') return sql`'{}'::uuid[]`
  if (type === 'inet') return sql`'127.0.0.1'::inet`
  if (type === 'bytea') return sql`decode(md5(n::text), 'hex')`
  if (allowed) return sql`(array[${sql.join(allowed.map((each) => sql.lit(each)))}])[1 + n % ${sql.lit(allowed.length)}]`
  return unique ? sql`'value-' || n` : sql`'value ' || n % 50`
}

const many = (each: boolean) => sql`('01900000-0000-7000-8000-' || lpad(to_hex(n ${each ? sql`` : sql`% 1000`}), 12, '0'))::uuid`

function person(table: string, alone: boolean, { from = 0, own, userId, ownerId, ownerEvery }: Fill) {
  if (alone) return many(true)
  const most = BOUNDED[table]
  const owners = most === undefined ? sql`` : sql`and n <= ${sql.lit(most * ownerEvery)}`
  // Tables of which a person may have a few rows only get many people.
  return sql`case when n % ${sql.lit(ownerEvery)} = 0 ${owners} then ${sql.lit(ownerId)}::uuid
    when n <= ${sql.lit(from + (most === undefined ? own : Math.min(own, most)))} then ${sql.lit(userId)}::uuid else ${many(most !== undefined)} end`
}
