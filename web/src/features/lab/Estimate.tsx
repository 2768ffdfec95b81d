import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { aiCall } from '../../api/ai.ts'
import { cost } from '../../chat/message.ts'
import { labModels } from '../../content/models.ts'

type Reply = { prompt_tokens: number; prompts: number; max_cost_microusd: number; remaining: number | null }

/** What sending would cost at most. Asked by length, so that it is not asked letter by letter. */
export function Estimate({ text }: { text: string }) {
  const length = useDeferredValue(Math.ceil(text.trim().length / 200) * 200)
  const estimate = useQuery({
    queryKey: ['ai-usage', 'estimate', length],
    enabled: length > 0,
    placeholderData: (before) => before,
    queryFn: () => aiCall<Reply>('ai-estimate', { models: labModels.map(({ id }) => id), text: 'x'.repeat(Math.min(length, 200_000)) }),
  })
  if (!length || !estimate.data) return null
  const { prompts, max_cost_microusd, remaining } = estimate.data
  return (
    <p className="text-12 text-faint tabular">
      {prompts} prompts{remaining === null ? '' : ` of ${remaining.toLocaleString('en-US')} left`}
      {/* A model of one's own may have no price. */}
      {max_cost_microusd > 0 ? `, about ${cost(max_cost_microusd)} at most` : ''}
    </p>
  )
}
