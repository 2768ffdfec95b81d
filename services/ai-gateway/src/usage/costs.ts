import type { Metrics } from '@operon/kit/metrics'
import { models } from '../registry/models.ts'
import type { Finished } from './settler.ts'

const providerOf = new Map(models.map(({ upstream, provider }) => [upstream, provider]))

/** Counts booked tokens and costs in the metrics, for an operator who watches the bill. A server that stands for all providers has its own model name. */
export const costsIn =
  ({ tokens, costUsd }: Pick<Metrics, 'tokens' | 'costUsd'>) =>
  (batch: Pick<Finished, 'answered_by' | 'prompt_tokens' | 'completion_tokens' | 'cost_microusd'>[]) => {
    for (const { answered_by: model, prompt_tokens: prompt, completion_tokens: completion, cost_microusd: microusd } of batch) {
      const labels = { provider: providerOf.get(model) ?? 'own server', model }
      tokens.inc({ ...labels, direction: 'prompt' }, prompt)
      tokens.inc({ ...labels, direction: 'completion' }, completion)
      costUsd.inc(labels, microusd / 1_000_000)
    }
  }
