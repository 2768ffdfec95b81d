import type { CallReply } from '@operon/contracts/calls'
import { useCall } from '../../api/call.ts'
import { imageSamples } from '../../content/images.ts'
import { Figures } from '../../ui/Figures.tsx'

export function ImageStats() {
  const stats = useCall('image-stats', {})
  return (
    <Figures
      id="image-stats"
      title="Your images"
      stats={stats}
      isEmpty={({ total }) => total === 0}
      figures={figures}
      samples={imageSamples}
    />
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
