import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import type { AiEstimate } from '../../api/ai.ts'
import { call } from '../../api/call.ts'
import { cost } from '../../chat/message.ts'
import { labModels } from '../../content/models.ts'

const ask = (text: string) => call('ai-estimate', { models: labModels.map(({ id }) => id), text })

/** The highest cost of sending. Asked by length, so that it is not asked letter by letter. */
export function Estimate({ text }: { text: string }) {
  const length = useDeferredValue(Math.ceil(text.trim().length / 200) * 200)
  const estimate = useQuery({
    queryKey: ['ai-usage', 'estimate', length],
    enabled: length > 0,
    placeholderData: (before) => before,
    queryFn: () => ask('x'.repeat(Math.min(length, 200_000))),
  })
  if (!length || !estimate.data) return null
  return <p className="text-12 text-faint tabular">{sentence(estimate.data)}</p>
}

function sentence({ prompts, max_cost_microusd, remaining, too_long, max_characters = 0, budget_left_microusd }: AiEstimate) {
  if (too_long) return `Too long for your plan, which takes up to ${max_characters.toLocaleString('en-US')} characters at once`
  const left = remaining === null ? '' : ` (${remaining.toLocaleString('en-US')} left)`
  // A model of one's own may have no price.
  const most = max_cost_microusd > 0 ? `, up to ${cost(max_cost_microusd)}` : ''
  const budget = most && budget_left_microusd !== undefined ? ` of the ${cost(budget_left_microusd)} left in your model budget` : ''
  return `Uses ${prompts} prompts${left}${most}${budget}`
}
