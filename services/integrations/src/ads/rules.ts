import type { Input } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/ad-rules'
import { adRuleApplied } from '@operon/contracts/integrations/events'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { inTransaction, publish } from '@operon/kit/tx'
import { type Selectable, sql } from 'kysely'
import type { Config } from '../config.ts'
import { workingConnection } from '../connections/actions.ts'
import type { CallApp } from '../connections/call.ts'
import { takeDue } from '../connections/due.ts'
import { type ConnectionRow, oneAtATime } from '../connections/keep.ts'
import type { IntegrationsDb } from '../schema.ts'
import type { AdLists } from './lists.ts'
import { costOfResult, type Row } from './meta.ts'

type Call = Ctx<IntegrationsDb>
type Rule = Selectable<IntegrationsDb['ad_rules']>

const MOST_RULES = 50
const BATCH = 200
const EVERY_MINUTES = 10

const shown = (rule: Rule) => ({
  id: rule.id,
  campaign_id: rule.campaign_id,
  campaign: rule.campaign,
  currency: rule.currency,
  most_cents: rule.most_cents,
  state: rule.state,
  last_cents: rule.last_cents,
  checked_at: rule.checked_at?.toISOString() ?? null,
  applied_at: rule.applied_at?.toISOString() ?? null,
})

export async function listRules(ctx: Call) {
  const rules = await ctx.db
    .selectFrom('ad_rules')
    .selectAll()
    .where('user_id', '=', signedIn(ctx).id)
    .orderBy('created_at')
    .limit(MOST_RULES)
    .execute()
  return { rules: rules.map(shown) }
}

export async function deleteRule(ctx: Call, { rule_id }: Input<typeof api.deleteAdRule>) {
  const gone = await ctx.db
    .deleteFrom('ad_rules')
    .where('id', '=', rule_id)
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirstOrThrow()
  return { deleted: gone.numDeletedRows > 0n }
}

export async function createRule(ctx: Call, { campaign_id, most_cents }: Input<typeof api.createAdRule>, lists: AdLists) {
  const row = await workingConnection(ctx, 'meta-ads', undefined)
  await demandRoom(ctx)
  const known = await campaignOf(row, campaign_id, lists)
  if (!known) throw new DomainError('app_refused', { message: 'Meta has no such campaign in this account.' })
  return inTransaction(ctx.db, async (trx) => {
    await oneAtATime(trx, row.user_id, 'ad rules')
    await demandRoom({ ...ctx, db: trx as never })
    const rule = await trx
      .insertInto('ad_rules')
      .values({
        id: newId(),
        user_id: row.user_id,
        connection_id: row.id,
        campaign_id,
        campaign: known.campaign.name,
        currency: known.currency,
        most_cents,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    return { rule: shown(rule) }
  })
}

async function demandRoom(ctx: Call): Promise<void> {
  const { rules } = await listRules(ctx)
  if (rules.length >= MOST_RULES) throw new DomainError('ad_rule_limit')
}

async function campaignOf(row: ConnectionRow, id: string, lists: AdLists): Promise<{ campaign: Row; currency: string } | null> {
  const { rows: accounts } = await lists.accounts(row)
  for (const account of accounts) {
    const { rows } = await lists.rows(row, account, 'campaign', 7)
    const campaign = rows.find((each) => each.id === id)
    if (campaign) return { campaign, currency: account.currency }
  }
  return null
}

/** Looks at the rules whose turn it is. Those of a broken connection wait until it is connected again. */
export async function applyRules({ db, log }: Pick<Runtime<IntegrationsDb, Config>, 'db' | 'log'>, lists: AdLists, call: CallApp) {
  const due = await takeDue(db, 'ad_rules', { most: BATCH, againSeconds: EVERY_MINUTES * 60 })
  if (!due.length) return
  const ids = due.map(({ id }) => id)
  await db.updateTable('ad_rules').set({ checked_at: sql`now()` }).where('id', 'in', ids).execute()
  for (const rule of due)
    await apply(rule).catch((err: unknown) => {
      if (!(err instanceof DomainError)) log.warn({ err, rule: rule.id }, 'an ad rule was not checked; it is tried again in ten minutes')
    })

  async function apply(rule: Rule) {
    const row = await db
      .selectFrom('connections')
      .selectAll()
      .where('id', '=', rule.connection_id)
      .where('user_id', '=', rule.user_id)
      .executeTakeFirstOrThrow()
    const found = await campaignOf(row, rule.campaign_id, lists)
    const cost = found && costOfResult(found.campaign)
    const own = db.updateTable('ad_rules').where('id', '=', rule.id).where('user_id', '=', rule.user_id)
    await own.set({ last_cents: cost ?? null }).execute()
    if (!found || cost === null || cost === undefined) return
    // Below the limit a single result would say nothing yet.
    if (found.campaign.status !== 'Active' || found.campaign.spent_cents < rule.most_cents || cost <= rule.most_cents) return
    const pause = { method: 'POST' as const, path: `/${rule.campaign_id}`, json: { status: 'PAUSED' } }
    await call(row, () => pause, { action: 'pause-campaign', effect: 'changes' })
    await lists.forget(row)
    await inTransaction(db, async (trx) => {
      const applied = await trx
        .updateTable('ad_rules')
        .set({ state: 'applied', applied_at: sql`now()` })
        .where('id', '=', rule.id)
        .where('user_id', '=', rule.user_id)
        .where('state', '=', 'watching')
        .returning('id')
        .executeTakeFirst()
      if (!applied) return
      await publish(trx, adRuleApplied, rule.user_id, {
        rule_id: rule.id,
        campaign_id: rule.campaign_id,
        campaign: rule.campaign,
        currency: rule.currency,
        cost_cents: Math.round(cost),
        most_cents: rule.most_cents,
      })
    })
  }
}
