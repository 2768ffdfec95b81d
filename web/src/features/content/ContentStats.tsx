import type { CallReply } from '@operon/contracts/calls'
import { useCall } from '../../api/call.ts'
import { contentSamples } from '../../content/prompts.ts'
import { Figures } from '../../ui/Figures.tsx'

export function ContentStats() {
  // Under the conversations' key: a piece more or less changes the figures.
  const stats = useCall('content-stats', {}, { key: ['ai-conversations', 'content-stats'] })
  return (
    <Figures
      id="content-stats"
      title="Your writing"
      stats={stats}
      isEmpty={({ pieces }) => pieces === 0}
      figures={figures}
      samples={contentSamples}
    />
  )
}

function figures({ pieces, words, finished, this_month }: CallReply<'content-stats'>) {
  return [
    { label: 'Pieces written', value: pieces.toLocaleString('en-US') },
    { label: 'Words written', value: words >= 10_000 ? `${Math.round(words / 1000)}k` : words.toLocaleString('en-US') },
    { label: 'Completed', value: `${Math.round((finished / pieces) * 100)}%` },
    { label: 'This month', value: this_month.toLocaleString('en-US') },
  ]
}
