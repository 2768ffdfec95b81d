import { type Kysely, sql } from 'kysely'

/** Credit that staff give, and what the figures of the subscriptions are counted by. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`insert into ledger_accounts (code, kind) values ('goodwill_credits', 'expense') on conflict (code) do nothing`.execute(db)
}

export const indexes = {
  subscriptions_by_status: 'on subscriptions (status, user_id)',
  accounts_of_trials: 'on accounts (trial_used_at) where trial_used_at is not null',
}
