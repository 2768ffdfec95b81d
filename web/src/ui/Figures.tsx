import type { UseQueryResult } from '@tanstack/react-query'
import { Stat, StatRow } from './Data.tsx'
import { ErrorState, Panel, SamplePill } from './Panel.tsx'

type Figure = { label: string; value: string }
type Props<Stats> = {
  id: string
  title: string
  stats: UseQueryResult<Stats>
  isEmpty: (stats: Stats) => boolean
  figures: (stats: Stats) => Figure[]
  samples: Figure[]
}

/** A row of figures about the account's own work; the samples until there is some. */
export function Figures<Stats>({ id, title, stats, isEmpty, figures, samples }: Props<Stats>) {
  const sampled = stats.data !== undefined && isEmpty(stats.data)
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="mb-3 flex items-center gap-2 text-16 font-semibold">
        {title}
        {sampled ? <SamplePill /> : null}
      </h2>
      {stats.isError ? (
        <Panel flush>
          <ErrorState title="The figures could not be loaded" error={stats.error} retry={() => stats.refetch()} />
        </Panel>
      ) : (
        <StatRow>
          {(stats.data && !sampled ? figures(stats.data) : samples).map((stat) => (
            <Stat key={stat.label} {...stat} loading={stats.isPending} />
          ))}
        </StatRow>
      )}
    </section>
  )
}
