import { RefreshCw } from 'lucide-react'
import { IconButton } from '../../ui/Button.tsx'
import { Choices } from '../../ui/Choices.tsx'
import { cx } from '../../ui/cx.ts'
import { moment } from '../../ui/format.ts'
import { type Span, spans } from './queries.ts'

type Props = {
  days: Span
  change: (values: Record<string, string>) => void
  fetchedAt: string | undefined
  onRefresh: () => void
  busy: boolean
  children?: React.ReactNode
}

export function Filters({ days, change, fetchedAt, onRefresh, busy, children }: Props) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Choices label="Time range" of={spans} chosen={days} choose={(span) => change({ days: span === 30 ? '' : String(span) })}>
        {(span) => `${span} days`}
      </Choices>
      {children}
      <span className="ml-auto flex items-center gap-1 text-12 text-faint">
        {fetchedAt ? `From Meta, ${moment(fetchedAt)}` : null}
        <IconButton label="Fetch again" onClick={onRefresh} disabled={busy}>
          <RefreshCw className={cx(busy && 'animate-spin motion-reduce:animate-none')} />
        </IconButton>
      </span>
    </div>
  )
}
