import { moment } from '../../../ui/format.ts'
import type { Report } from '../queries.ts'
import { count } from '../words.ts'

const HOUR_MS = 3_600_000
const MOST_BARS = 48

/** Two bars an hour from the first one on, opens behind clicks; the same figures as words for those who cannot see them. */
export function Hours({ of }: { of: Report['by_hour'] }) {
  if (!of.length) return <p className="text-13 text-muted">Nobody has opened it yet. Opens appear here as they come in.</p>
  const first = Date.parse(of[0]!.at)
  const hours = Math.min(MOST_BARS, Math.round((Date.parse(of.at(-1)!.at) - first) / HOUR_MS) + 1)
  const known = new Map(of.map((each) => [Date.parse(each.at), each]))
  const bars = Array.from(
    { length: Math.max(12, hours) },
    (_, n) => known.get(first + n * HOUR_MS) ?? { at: new Date(first + n * HOUR_MS).toISOString(), opened: 0, clicked: 0 },
  )
  const top = Math.max(1, ...bars.map(({ opened, clicked }) => Math.max(opened, clicked)))
  return (
    <figure>
      <div className="flex h-36 items-end gap-px" aria-hidden="true">
        {bars.map(({ at, opened, clicked }) => (
          <span key={at} className="relative h-full flex-1" data-tip={`${moment(at)}: ${count(opened)} opened, ${count(clicked)} clicked`}>
            <span className="absolute inset-x-0 bottom-0 rounded-t-[2px] bg-info/60" style={{ height: `${(opened / top) * 100}%` }} />
            <span
              className="absolute inset-x-[25%] bottom-0 rounded-t-[2px] bg-signal-text"
              style={{ height: `${(clicked / top) * 100}%` }}
            />
          </span>
        ))}
      </div>
      <figcaption className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-12 text-muted">
        <span className="flex items-center gap-1.5">
          <span className="size-2.5 rounded-[2px] bg-info/60" />
          Opened
        </span>
        <span className="flex items-center gap-1.5">
          <span className="h-2.5 w-1.5 rounded-[2px] bg-signal-text" />
          Clicked
        </span>
        <span className="text-faint">from {moment(first)}</span>
      </figcaption>
      <ul className="sr-only">
        {of.map(({ at, opened, clicked }) => (
          <li key={at}>
            {moment(at)}: {opened} opened, {clicked} clicked
          </li>
        ))}
      </ul>
    </figure>
  )
}
