import type { Input } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/ads'
import { now } from '@operon/kit/clock'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import { type Kysely, sql } from 'kysely'
import { workingConnection } from '../connections/actions.ts'
import type { CallApp } from '../connections/call.ts'
import type { ConnectionRow } from '../connections/keep.ts'
import type { IntegrationsDb } from '../schema.ts'
import {
  type Account,
  accountsIn,
  accountsRequest,
  type DayRow,
  daysIn,
  daysRequest,
  type Level,
  listRequest,
  type Row,
  rowOf,
  type Span,
} from './meta.ts'

type Call = Ctx<IntegrationsDb>
type Db = Kysely<IntegrationsDb & KitDb>
type Kept<T> = { rows: T[]; fetchedAt: Date }

const KEPT_MS = 600_000
/** Asked for anew, figures are still not older than this. */
const FRESH_MS = 30_000
const MOST_ACCOUNTS = 10

/** A list of Meta's, from there or as it was fetched some minutes ago. */
export function openAdLists(db: Db, call: CallApp) {
  async function kept<T>(row: ConnectionRow, list: string, mostMs: number, fetch: () => Promise<T[]>): Promise<Kept<T>> {
    const before = await db
      .selectFrom('ad_lists')
      .select(['rows', 'fetched_at'])
      .where('connection_id', '=', row.id)
      .where('user_id', '=', row.user_id)
      .where('list', '=', list)
      .where('fetched_at', '>', new Date(now() - mostMs))
      .executeTakeFirst()
    if (before) return { rows: before.rows as T[], fetchedAt: before.fetched_at }
    const rows = await fetch()
    const saved = await db
      .insertInto('ad_lists')
      .values({ id: newId(), connection_id: row.id, user_id: row.user_id, list, rows: JSON.stringify(rows), fetched_at: sql`now()` })
      .onConflict((conflict) =>
        conflict.columns(['connection_id', 'list']).doUpdateSet((eb) => ({ rows: eb.ref('excluded.rows'), fetched_at: sql`now()` })),
      )
      .returning('fetched_at')
      .executeTakeFirstOrThrow()
    return { rows, fetchedAt: saved.fetched_at }
  }
  const asked = { effect: 'reads' as const }
  return {
    accounts: (row: ConnectionRow): Promise<Kept<Account>> =>
      kept(row, 'accounts', KEPT_MS, async () =>
        accountsIn(await call(row, accountsRequest, { ...asked, action: 'list-ad-accounts' })).slice(0, MOST_ACCOUNTS),
      ),
    rows: (row: ConnectionRow, { id, currency }: Account, level: Level, days: Span, mostMs = KEPT_MS): Promise<Kept<Row>> =>
      kept(row, `${id} ${level} ${days}`, mostMs, async () => {
        const { data } = await call(row, () => listRequest(id, level, days), { ...asked, action: `list-${level}s` })
        return (data ?? []).map((each: unknown) => rowOf(level, each, currency))
      }),
    days: (row: ConnectionRow, { id }: Account, days: Span, mostMs = KEPT_MS): Promise<Kept<DayRow>> =>
      kept(row, `${id} days ${days}`, mostMs, async () =>
        daysIn(await call(row, () => daysRequest(id, days), { ...asked, action: 'read-insights' })),
      ),
    /** After a change the next list is Meta's own again. */
    forget: (row: ConnectionRow) =>
      db
        .deleteFrom('ad_lists')
        .where('connection_id', '=', row.id)
        .where('user_id', '=', row.user_id)
        .where('list', '<>', 'accounts')
        .execute(),
  }
}
export type AdLists = ReturnType<typeof openAdLists>

export const accountOf = (accounts: Account[], id: string | undefined): Account => {
  const account = id ? accounts.find((each) => each.id === id) : accounts[0]
  if (!account)
    throw new DomainError('app_refused', { message: 'This Meta account has no ads account. Create one in Meta Business Suite.' })
  return account
}

export async function listAds(ctx: Call, { level, account_id, days, refresh }: Input<typeof api.listAds>, lists: AdLists) {
  const row = await workingConnection(ctx, 'meta-ads', undefined)
  const { rows: accounts, fetchedAt } = await lists.accounts(row)
  if (!accounts.length) return { account_id: null, accounts, currency: 'USD', rows: [], fetched_at: fetchedAt.toISOString() }
  const account = accountOf(accounts, account_id)
  const list = await lists.rows(row, account, level, days, refresh ? FRESH_MS : KEPT_MS)
  return { account_id: account.id, accounts, currency: account.currency, rows: list.rows, fetched_at: list.fetchedAt.toISOString() }
}

export async function analytics(ctx: Call, { days, refresh }: Input<typeof api.metaAdsAnalytics>, lists: AdLists) {
  const row = await workingConnection(ctx, 'meta-ads', undefined)
  const { rows: accounts } = await lists.accounts(row)
  const all = []
  for (const account of accounts) {
    const { rows, fetchedAt } = await lists.days(row, account, days, refresh ? FRESH_MS : KEPT_MS)
    const total = (of: (each: DayRow) => number) => rows.reduce((sum, each) => sum + of(each), 0)
    const summary = {
      totalSpend: total(({ spent_cents }) => spent_cents) / 100,
      totalImpressions: total(({ impressions }) => impressions),
      totalClicks: total(({ clicks }) => clicks),
      totalConversions: total(({ conversions }) => conversions),
    }
    if (summary.totalSpend || summary.totalImpressions)
      all.push({
        account: account.name,
        account_id: account.id,
        currency: account.currency,
        summary,
        days: rows,
        fetched_at: fetchedAt.toISOString(),
      })
  }
  return { analytics: all }
}
