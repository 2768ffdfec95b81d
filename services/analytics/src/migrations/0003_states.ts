import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table states (
      user_id uuid not null, event text not null, state text not null, version integer not null, primary key (user_id, event)
    )`.execute(db)
  // `plans` stays for an instance of the version before, and goes with the next release.
  await sql`
    insert into states (user_id, event, state, version)
    select user_id, 'billing.subscription_changed', tier || ' ' || status, version from plans`.execute(db)
}
