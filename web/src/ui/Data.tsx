import { isAppPath } from '@operon/contracts/links'
import { Check, Copy, ExternalLink, Minus, TrendingDown, TrendingUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { Button, buttonClass } from './Button.tsx'
import { useCopied } from './copy.ts'
import { cx } from './cx.ts'
import { Skeleton } from './Panel.tsx'

type StatProps = { label: string; value?: ReactNode; change?: number | null; note?: string | undefined; loading?: boolean }

/** One figure of a row of figures; the row is `StatRow`. */
export function Stat({ label, value, change, note, loading }: StatProps) {
  const Icon = !change ? Minus : change > 0 ? TrendingUp : TrendingDown
  return (
    <div className="flex flex-col gap-1 bg-panel px-4 py-3.5">
      <span className="text-13 text-muted">{label}</span>
      {loading ? <Skeleton className="my-1 h-7 w-20" /> : <span className="text-28 font-semibold">{value}</span>}
      {change !== undefined ? (
        <span
          className={cx('inline-flex items-center gap-1 text-12 tabular', !change ? 'text-faint' : change > 0 ? 'text-good' : 'text-bad')}
        >
          <Icon className="size-3.5" />
          {loading ? <Skeleton className="h-3 w-10" /> : changeLabel(change)}
        </span>
      ) : null}
      {note ? <span className="text-12 text-muted">{note}</span> : null}
    </div>
  )
}

export function StatRow({ children }: { children: ReactNode }) {
  return <div className="grid grid-cols-2 gap-px overflow-hidden rounded-panel bg-line hairline lg:grid-cols-4">{children}</div>
}

/** Against the period before; no base is +0%. */
function changeLabel(change: number | null | undefined) {
  const percent = Math.round(change ?? 0)
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent)}%`
}

/** A share of a limit as the operon's three bars, filling in order. `limit` null is unlimited. */
type MeterProps = { label: string; used: number; limit: number | null; unit?: string; format?: (value: number) => string }

export function GeneMeter({ label, used, limit, unit, format = (value) => value.toLocaleString('en-US') }: MeterProps) {
  const share = limit ? Math.min(1, used / limit) : 0
  const tone = share >= 1 ? 'bg-bad' : share >= 0.8 ? 'bg-warn' : 'bg-signal-text'
  const lengths = [0.5, 0.2, 0.3]
  let before = 0
  return (
    <div>
      <div className="mb-1.5 flex items-baseline justify-between gap-3 text-13">
        <span>{label}</span>
        <span className="font-mono text-12 text-muted tabular">
          {format(used)} {limit === null ? '· unlimited' : `/ ${format(limit)}`} {unit}
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: <meter> cannot be drawn as three bars */}
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit ?? Math.max(used, 1)}
        aria-valuenow={limit === null ? used : Math.min(used, limit)}
        className="flex gap-1"
      >
        {lengths.map((length) => {
          const filled = Math.max(0, Math.min(1, (share - before) / length))
          before += length
          return (
            <span key={length} className="h-1.5 overflow-hidden rounded-full bg-raised" style={{ flexGrow: length * 10 }}>
              <span
                className={cx('block h-full rounded-full transition-[width] duration-200', tone)}
                style={{ width: filled && `max(0.375rem, ${filled * 100}%)` }}
              />
            </span>
          )
        })}
      </div>
    </div>
  )
}

export type Activity = {
  id: string
  text: string
  detail?: string | undefined
  status?: string
  at?: string
  link?: string | null | undefined
}

export function ActivityList({ entries }: { entries: readonly Activity[] }) {
  const row = 'flex items-center gap-3 px-4 py-2.5 text-13'
  return (
    <ol className="divide-y divide-line">
      {entries.map((entry) => (
        <li key={entry.id}>
          {isAppPath(entry.link) ? (
            <Link to={entry.link} className={cx(row, 'outline-offset-[-2px] hover:bg-raised')}>
              <ActivityLine {...entry} />
            </Link>
          ) : (
            <div className={row}>
              <ActivityLine {...entry} />
            </div>
          )}
        </li>
      ))}
    </ol>
  )
}
function ActivityLine({ text, detail, status = 'completed', at }: Activity) {
  return (
    <>
      <span
        aria-hidden="true"
        className={cx(
          'h-1.5 w-3 shrink-0 rounded-full',
          status === 'failed' ? 'bg-bad' : status === 'pending' || status === 'cut' ? 'bg-warn' : 'bg-signal-text',
        )}
      />
      <span className="min-w-0 flex-1 truncate">
        {text}
        {detail ? <span className="block truncate text-12 text-faint">{detail}</span> : null}
      </span>
      <span className="text-12 text-faint">{status}</span>
      {at ? <span className="hidden font-mono text-12 text-faint tabular sm:inline">{at}</span> : null}
    </>
  )
}

/** A value to read and copy, not to edit. */
export function CopyField({ value, label, said, open }: { value: string; label: string; said?: string; open?: boolean }) {
  const { copied, copy } = useCopied()
  return (
    <div className="flex gap-2">
      <input
        readOnly
        aria-label={label}
        value={value}
        onFocus={(event) => event.target.select()}
        className="h-8 min-w-0 flex-1 text-ellipsis rounded-control bg-raised px-2.5 font-mono text-12 text-muted hairline max-md:h-11"
      />
      <Button size="icon" aria-label={`Copy ${label.toLowerCase()}`} data-tip="Copy" onClick={() => copy(value, said)}>
        {copied ? <Check className="text-good" /> : <Copy />}
      </Button>
      {open ? (
        <a
          href={value}
          target="_blank"
          rel="noreferrer"
          aria-label={`Open ${label.toLowerCase()} in a new tab`}
          data-tip="Open in a new tab"
          className={buttonClass({ size: 'icon' })}
        >
          <ExternalLink />
        </a>
      ) : null}
    </div>
  )
}

export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className="inline-flex h-5 items-center rounded-[4px] bg-raised px-1.5 font-mono text-12 text-muted hairline">{children}</kbd>
}

export const initialsOf = (email?: string | null, name?: string) => (email || name || 'U').slice(0, 2).toUpperCase()

/** The first two letters of the email, or of the name where there is no email (as in a demo), or U. */
export function Avatar({ email, name, className }: { email?: string | null; name?: string; className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cx(
        'grid size-7 shrink-0 place-items-center rounded-full bg-raised font-mono text-12 font-medium text-text hairline',
        className,
      )}
    >
      {initialsOf(email, name)}
    </span>
  )
}

type TableProps = {
  head: ReactNode[]
  children: ReactNode
  label: string
  /** All columns after the first hold figures: wide ones, in a panel, so its edges show where more stands beyond them. */
  figures?: boolean
}

export function Table({ head, children, label, figures }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className={cx('relative overflow-x-auto', figures && 'fade-sides')} aria-label={label} tabIndex={0}>
      <table className={cx('w-full text-left text-13', figures && '[&_td:nth-child(n+2)]:text-right [&_th:nth-child(n+2)]:text-right')}>
        <thead>
          <tr className="border-b border-line text-12 text-faint">
            {head.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a fixed row
              <th key={index} scope="col" className="px-4 py-2 font-medium whitespace-nowrap">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line [&_td]:px-4 [&_td]:py-2.5">{children}</tbody>
      </table>
    </section>
  )
}
