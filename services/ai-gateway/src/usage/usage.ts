import type { aiEstimate } from '@operon/contracts/ai-gateway/api'
import type { Input } from '@operon/contracts/contract'
import { modelLimitsOf } from '@operon/contracts/plans'
import { usageOf } from '@operon/kit/allowance'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { NEVER } from '@operon/kit/meter'
import { sql } from 'kysely'
import { type AnswerDeps, costsOf } from '../completions/answer.ts'
import { chainOf, estimateTokens } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'

/** The most that sending would cost: what is held of the plan while it is answered. */
export async function estimate(
  { providers, reserver }: AnswerDeps,
  ctx: Ctx<AiDb>,
  { models, text, max_tokens }: Input<typeof aiEstimate>,
) {
  const unknown = models.find((model) => !chainOf(model))
  if (unknown) throw new DomainError('model_unknown', { details: { model: unknown } })
  const { tier, used, reserved, limit, ...spent } = await usageOf(ctx.db, signedIn(ctx).id, 'prompts', reserver.budgets)
  const { costMicrousd, costReservedMicrousd, budgetMicrousd, extra, extraMicrousd, topUps, topUpsMicrousd } = spent
  const body = { messages: [{ role: 'user', content: text }], ...(max_tokens && { max_tokens }) }
  const costs = models.map((model) => costsOf({ providers }, { model, body })[tier])
  const tooLong = costs.includes(NEVER)
  return {
    prompt_tokens: estimateTokens(text.length),
    prompts: models.length,
    max_cost_microusd: tooLong ? 0 : costs.reduce((sum, cost) => sum + cost, 0),
    remaining: limit === null ? null : Math.max(0, limit + extra - used - reserved) + topUps,
    too_long: tooLong,
    max_characters: modelLimitsOf(tier).inputCharacters,
    ...(budgetMicrousd !== null && {
      budget_microusd: budgetMicrousd,
      budget_left_microusd: Math.max(0, budgetMicrousd + extraMicrousd - costMicrousd - costReservedMicrousd) + topUpsMicrousd,
    }),
  }
}

export async function usage({ reserver }: AnswerDeps, ctx: Ctx<AiDb>) {
  const userId = signedIn(ctx).id
  const found = await usageOf(ctx.db, userId, 'prompts', reserver.budgets)
  const { used, limit, costMicrousd, budgetMicrousd, periodStart, periodEnd } = found
  const rows = await sumsSince(ctx, userId, periodStart)
  const by_model = group(rows, 'model').map(({ key, answers, prompt_tokens, completion_tokens, cost_microusd, ms }) => ({
    model: key,
    answers,
    prompt_tokens,
    completion_tokens,
    cost_microusd,
    avg_ms: Math.round(ms / Math.max(1, answers)),
  }))
  const by_feature = group(rows, 'feature').map(({ key, answers, cost_microusd }) => ({ feature: key, answers, cost_microusd }))
  return {
    used,
    limit,
    period_start: periodStart.toISOString(),
    period_end: periodEnd?.toISOString() ?? null,
    // The budget is counted by these rows: answers from before it was kept stand in the lists alone.
    cost_microusd: costMicrousd,
    budget_microusd: budgetMicrousd,
    forecast_prompts: forecast(used, periodStart, periodEnd ?? nextMonth(periodStart)),
    by_model,
    by_feature,
  }
}

/** Added up from whole days. Of the day in which the period begins, what came before it is taken off again. */
async function sumsSince(ctx: Ctx<AiDb>, userId: string, start: Date) {
  const { rows } = await sql<Sums & { model: string; feature: string }>`
    select model, feature, sum(answers)::bigint as answers, sum(prompt_tokens)::bigint as prompt_tokens,
      sum(completion_tokens)::bigint as completion_tokens, sum(cost_microusd)::bigint as cost_microusd, sum(duration_ms)::bigint as ms
    from (
      select model, feature, answers, prompt_tokens, completion_tokens, cost_microusd, duration_ms from ai_usage_days
      where user_id = ${userId} and day >= (${start}::timestamptz at time zone 'UTC')::date
      union all
      select model, feature, -count(*) filter (where status <> 'failed'), -sum(prompt_tokens), -sum(completion_tokens), -sum(cost_microusd), -sum(duration_ms)
      from ai_usage where user_id = ${userId} and created_at >= date_trunc('day', ${start}::timestamptz, 'UTC') and created_at < ${start}
      group by model, feature
    ) as counted
    group by model, feature having sum(duration_ms) <> 0 or sum(answers) <> 0 or sum(cost_microusd) <> 0`.execute(ctx.db)
  return rows
}

/** The pace so far, carried to the end of the period; the first day is too short to tell a pace from. */
export function forecast(used: number, start: Date, end: Date, now = new Date()): number {
  const day = 86_400_000
  const elapsed = Math.max(day, now.getTime() - start.getTime())
  return Math.max(used, Math.round((used / elapsed) * (end.getTime() - start.getTime())))
}

const nextMonth = (start: Date) => new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1))

type Sums = { answers: number; prompt_tokens: number; completion_tokens: number; cost_microusd: number; ms: number }
function group<K extends string>(rows: (Sums & Record<K, string>)[], by: K): (Sums & { key: string })[] {
  const groups = new Map<string, Sums & { key: string }>()
  for (const row of rows) {
    const sums = groups.get(row[by]) ?? { key: row[by], answers: 0, prompt_tokens: 0, completion_tokens: 0, cost_microusd: 0, ms: 0 }
    for (const name of ['answers', 'prompt_tokens', 'completion_tokens', 'cost_microusd', 'ms'] as const) sums[name] += Number(row[name])
    groups.set(row[by], sums)
  }
  return [...groups.values()].sort((a, b) => b.cost_microusd - a.cost_microusd)
}
