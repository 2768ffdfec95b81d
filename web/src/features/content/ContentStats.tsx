import type { contentStats } from '@operon/contracts/ai-gateway/tools'
import type { Reply } from '@operon/contracts/contract'
import { useCall } from '../../api/call.ts'
import { contentSamples } from '../../content/prompts.ts'
import { Stat, StatRow } from '../../ui/Data.tsx'
import { ErrorState, Panel, SamplePill } from '../../ui/Panel.tsx'

type Stats = Reply<typeof contentStats>

/** The account's own pieces, counted where they are kept; the samples until there is one. */
export function ContentStats() {
  // Under the conversations' key: a piece more or less changes the figures.
  const stats = useCall('content-stats', {}, { key: ['ai-conversations', 'content-stats'] })
  const sampled = stats.data?.pieces === 0
  return (
    <section aria-labelledby="content-stats">
      <h2 id="content-stats" className="mb-3 flex items-center gap-2 text-16 font-semibold">
        Your writing
        {sampled ? <SamplePill /> : null}
      </h2>
      {stats.isError ? (
        <Panel flush>
          <ErrorState title="The figures could not be loaded" error={stats.error} retry={() => stats.refetch()} />
        </Panel>
      ) : (
        <StatRow>
          {(stats.data && !sampled ? figures(stats.data) : contentSamples).map((stat) => (
            <Stat key={stat.label} {...stat} loading={stats.isPending} />
          ))}
        </StatRow>
      )}
    </section>
  )
}

function figures({ pieces, words, finished, this_month }: Stats) {
  return [
    { label: 'Pieces written', value: pieces.toLocaleString('en-US') },
    { label: 'Words written', value: words >= 10_000 ? `${Math.round(words / 1000)}k` : words.toLocaleString('en-US') },
    { label: 'Completed', value: `${Math.round((finished / pieces) * 100)}%` },
    { label: 'This month', value: this_month.toLocaleString('en-US') },
  ]
}
