import { type Kysely, sql } from 'kysely'

/**
 * The books by day and by account, added up after the fact: entries and lines of tax queue here as they are written, by triggers, so that an
 * instance of the version before queues them too, and a sweep adds them. Nobody who books waits for a sum that others change as well.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table ledger_sums (
      day date not null, kind text not null, account text not null, currency char(3) not null, debit_cents bigint not null, credit_cents bigint not null,
      primary key (day, kind, account, currency)
    )`.execute(db)
  await sql`
    create table account_sums (
      account text not null, currency char(3) not null, amount_cents bigint not null, primary key (account, currency)
    )`.execute(db)
  await sql`
    create table tax_sums (
      month date not null, country text not null, state text not null, currency char(3) not null, reverse_charge boolean not null,
      taxable_cents bigint not null, tax_cents bigint not null, primary key (month, country, state, currency, reverse_charge)
    )`.execute(db)
  await sql`create table ledger_proof (summed bigint not null, unbalanced bigint not null)`.execute(db)
  await sql`insert into ledger_proof values (0, 0)`.execute(db)
  for (const [table, key, type] of [
    ['ledger_entries', 'id', 'uuid'],
    ['tax_lines', 'reference', 'text'],
  ] as const) {
    const queue = `${table}_unsummed`
    await sql`create table ${sql.table(queue)} (${sql.ref(key)} ${sql.raw(type)} primary key)`.execute(db)
    await sql`create table ${sql.table(`${queue}_fill`)} (after ${sql.raw(type)} not null)`.execute(db)
    await sql`insert into ${sql.table(`${queue}_fill`)} values (${type === 'uuid' ? FIRST : ''})`.execute(db)
    await sql`
      create function ${sql.raw(`queue_${table}`)}() returns trigger language plpgsql as
      $$ begin insert into ${sql.table(queue)} values (new.${sql.ref(key)}); return null; end $$`.execute(db)
    await sql`create trigger queue_for_sums after insert on ${sql.table(table)} for each row execute function ${sql.raw(`queue_${table}`)}()`.execute(
      db,
    )
  }
}

const FIRST = '00000000-0000-0000-0000-000000000000'
const PIECE = 5_000

/** Older rows join the queue in pieces; nothing takes from it until this is over. */
export async function fill(db: Kysely<unknown>): Promise<void> {
  for (const [table, key] of [
    ['ledger_entries', 'id'],
    ['tax_lines', 'reference'],
  ] as const) {
    const queue = sql.table(`${table}_unsummed`)
    const at = sql.table(`${table}_unsummed_fill`)
    const { rows: known } = await sql<{ known: boolean }>`select to_regclass(${`${table}_unsummed_fill`}) is not null as known`.execute(db)
    if (!known[0]!.known) continue
    for (let more = true; more; ) {
      const { rows } = await sql`
        with piece as (select t.${sql.ref(key)} as key from ${sql.table(table)} t, ${at} f where t.${sql.ref(key)} > f.after order by 1 limit ${PIECE}),
        queued as (insert into ${queue} select key from piece on conflict do nothing)
        update ${at} set after = last.key from (select key from piece order by key desc limit 1) last returning after`.execute(db)
      more = rows.length > 0
    }
  }
}
