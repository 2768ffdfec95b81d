import type { RunningService } from '@operon/kit/service'
import { type Kysely, sql } from 'kysely'

type Fill = {
  rows: number
  own: number
  userId: string
  /** Owns a third of every table. */
  ownerId: string
}
/** Where a third of all messages are. */
export const LONG_CONVERSATION = '01900000-0000-7000-8000-00000000c0de'

type Column = { name: string; type: string; nullable: boolean; generated: boolean; unique: boolean; allowed: string[] | null }

/** Fills every table that is a service's own with made-up rows of many people, some of one's own, and says which became large (as `database.table`). */
export async function fillTables(services: RunningService[], fill: Fill): Promise<Set<string>> {
  const large = new Set<string>()
  for (const { rt } of services) {
    const { rows: names } = await sql<{ db: string; t: string }>`
      select current_database() as db, tablename as t from pg_tables
      where schemaname = 'public' and tablename !~ '^(kysely_|bullmq|outbox$|inbox$|idempotency_keys$|service_tokens$|fleet_key$|entitlements$|usage_(counters|reservations)$)'`.execute(
      rt.db,
    )
    for (const { db, t } of names) {
      await fillTable(rt.db, t, fill)
      large.add(`${db}.${t}`)
    }
    await sql`analyze`.execute(rt.db)
  }
  return large
}

async function fillTable(db: Kysely<any>, table: string, fill: Fill): Promise<void> {
  const { rows } = fill
  const columns = (await columnsOf(db, table)).filter(({ generated }) => !generated)
  const names = sql.join(columns.map(({ name }) => sql.ref(name)))
  const values = sql.join(columns.map((column) => madeUp(column, fill)))
  await db.transaction().execute(async (trx) => {
    // Rows that refer to nothing are as good to read as any.
    await sql`set local session_replication_role = replica`.execute(trx)
    await sql`insert into ${sql.table(table)} (${names}) overriding system value
      select ${values} from generate_series(1, ${sql.lit(rows)}) as n on conflict do nothing`.execute(trx)
    const { rows: counted } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(trx)
    if (counted[0]!.n < rows / 2) throw new Error(`${table} holds ${counted[0]!.n} rows`)
  })
}

async function columnsOf(db: Kysely<any>, table: string): Promise<Column[]> {
  const { rows } = await sql<Column & { checks: string | null }>`
    select a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable,
      a.attgenerated <> '' or a.attidentity = 'a' as generated,
      exists (select from pg_index i where i.indrelid = a.attrelid and i.indisunique and a.attnum = any(i.indkey)) as "unique",
      (select string_agg(pg_get_constraintdef(c.oid), ' ') from pg_constraint c
       where c.conrelid = a.attrelid and c.contype = 'c' and c.conkey = array[a.attnum]) as checks
    from pg_attribute a where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`.execute(db)
  return rows.map(({ checks, ...column }) => ({
    ...column,
    allowed: checks?.match(/'([^']+)'::text/g)?.map((each) => each.slice(1, -7)) ?? null,
  }))
}

function madeUp({ name, type, nullable, unique, allowed }: Column, { own, userId, ownerId }: Fill) {
  if (name === 'conversation_id') return sql`case when n % 3 = 0 then ${sql.lit(LONG_CONVERSATION)}::uuid else gen_random_uuid() end`
  if (/^(user_id|seller_id|owner_id|actor_id)$/.test(name)) {
    const many = sql`('01900000-0000-7000-8000-' || lpad(to_hex(n ${unique ? sql`` : sql`% 1000`}), 12, '0'))::uuid`
    return unique && !/_/.test(name)
      ? many
      : sql`case when n <= ${sql.lit(own)} then ${sql.lit(userId)}::uuid when n % 3 = 0 then ${sql.lit(ownerId)}::uuid else ${many} end`
  }
  if (/slug/.test(name)) return sql`'slug-' || n`
  if (type === 'xid8') return sql`pg_current_xact_id()`
  if (type === 'character') return sql`'usd'`
  if (type === 'uuid') return sql`gen_random_uuid()`
  if (type === 'boolean') return sql`n % 2 = 0`
  if (type.startsWith('timestamp'))
    return nullable ? sql`case when n % 50 = 0 then now() - n * interval '1 minute' end` : sql`now() - n * interval '1 minute'`
  if (type === 'date') return sql`current_date - (n % 100)::int`
  // There are not more of them; it is one column of several that are unique together.
  if (type === 'smallint' && unique) return sql`n % 32768`
  if (/^(integer|bigint|smallint|numeric|double precision)$/.test(type)) return unique ? sql`n` : sql`1 + n % 100`
  if (type === 'jsonb' || type === 'json') return sql`'{}'::jsonb`
  if (type === 'text[]') return sql`'{}'::text[]`
  if (type === 'inet') return sql`'127.0.0.1'::inet`
  if (type === 'bytea') return sql`decode(md5(n::text), 'hex')`
  if (allowed) return sql`(array[${sql.join(allowed.map((each) => sql.lit(each)))}])[1 + n % ${sql.lit(allowed.length)}]`
  return unique ? sql`'value-' || n` : sql`'value ' || n % 50`
}
