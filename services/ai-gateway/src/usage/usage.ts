import type { aiEstimate } from '@operon/contracts/ai-gateway/api'
import type { Input } from '@operon/contracts/contract'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { usageOf } from '@operon/kit/meter'
import { chainOf, costMicrousd, estimateTokens } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'
import type { Providers } from '../upstream/providers.ts'

const USUAL_ANSWER_TOKENS = 1000

/** The most that sending would cost: what is left of the plan, and tokens at the asked models' prices. */
export async function estimate(
  providers: Providers,
  ctx: Ctx<AiDb>,
  { models, text, max_tokens = USUAL_ANSWER_TOKENS }: Input<typeof aiEstimate>,
) {
  const prompt_tokens = estimateTokens(text.length)
  const costs = models.map((id) => {
    const chain = chainOf(id)
    if (!chain) throw new DomainError('model_unknown', { details: { model: id } })
    return Math.max(...chain.map((model) => costMicrousd(providers.real(model), prompt_tokens, max_tokens)))
  })
  const { used, reserved, limit } = await usageOf(ctx.db, signedIn(ctx).id, 'prompts')
  return {
    prompt_tokens,
    prompts: models.length,
    max_cost_microusd: costs.reduce((sum, cost) => sum + cost, 0),
    remaining: limit === null ? null : Math.max(0, limit - used - reserved),
  }
}

export async function usage(ctx: Ctx<AiDb>) {
  const userId = signedIn(ctx).id
  const { used, limit, periodStart, periodEnd } = await usageOf(ctx.db, userId, 'prompts')
  const rows = await ctx.db
    .selectFrom('ai_usage')
    .select(['model', 'feature'])
    .select(({ fn }) => [
      fn.countAll<number>().as('answers'),
      fn.sum<number>('prompt_tokens').as('prompt_tokens'),
      fn.sum<number>('completion_tokens').as('completion_tokens'),
      fn.sum<number>('cost_microusd').as('cost_microusd'),
      fn.sum<number>('duration_ms').as('ms'),
    ])
    .where('user_id', '=', userId)
    .where('created_at', '>=', periodStart)
    .groupBy(['model', 'feature'])
    .execute()
  const by_model = group(rows, 'model').map(({ key, answers, prompt_tokens, completion_tokens, cost_microusd, ms }) => ({
    model: key,
    answers,
    prompt_tokens,
    completion_tokens,
    cost_microusd,
    avg_ms: Math.round(ms / answers),
  }))
  const by_feature = group(rows, 'feature').map(({ key, answers, cost_microusd }) => ({ feature: key, answers, cost_microusd }))
  return {
    used,
    limit,
    period_start: periodStart.toISOString(),
    period_end: periodEnd?.toISOString() ?? null,
    cost_microusd: by_model.reduce((sum, row) => sum + row.cost_microusd, 0),
    forecast_prompts: forecast(used, periodStart, periodEnd ?? nextMonth(periodStart)),
    by_model,
    by_feature,
  }
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
