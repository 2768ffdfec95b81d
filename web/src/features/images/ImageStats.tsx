import type { CallReply } from '@operon/contracts/calls'
import { useCall } from '../../api/call.ts'
import { imageSamples } from '../../content/images.ts'
import { Stat, StatRow } from '../../ui/Data.tsx'
import { ErrorState, Panel, SamplePill } from '../../ui/Panel.tsx'

/** Counted from the account's own images; the samples until there is one. */
export function ImageStats() {
  const stats = useCall('image-stats', {})
  const sampled = stats.data?.total === 0
  return (
    <section aria-labelledby="image-stats">
      <h2 id="image-stats" className="mb-3 flex items-center gap-2 text-16 font-semibold">
        Your images
        {sampled ? <SamplePill /> : null}
      </h2>
      {stats.isError ? (
        <Panel flush>
          <ErrorState title="The figures could not be loaded" error={stats.error} retry={() => stats.refetch()} />
        </Panel>
      ) : (
        <StatRow>
          {(stats.data && !sampled ? figures(stats.data) : imageSamples).map((stat) => (
            <Stat key={stat.label} {...stat} loading={stats.isPending} />
          ))}
        </StatRow>
      )}
    </section>
  )
}

function figures({ total, this_month, saved, average_seconds }: CallReply<'image-stats'>) {
  return [
    { label: 'Images made', value: total.toLocaleString('en-US') },
    { label: 'This month', value: this_month.toLocaleString('en-US') },
    { label: 'Saved', value: saved.toLocaleString('en-US') },
    { label: 'Seconds an image', value: average_seconds === null ? '–' : average_seconds.toLocaleString('en-US') },
  ]
}
