import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { cx } from './cx.ts'
import { EmptyRow } from './Mark.tsx'

/** A bordered part of a page with a title line. */
export function Panel({
  title,
  badge,
  actions,
  children,
  className,
  flush,
}: {
  title?: ReactNode
  badge?: ReactNode
  actions?: ReactNode
  children: ReactNode
  className?: string
  flush?: boolean
}) {
  return (
    <section className={cx('rounded-panel bg-panel hairline', className)}>
      {title ? (
        <header className="flex min-h-12 items-center justify-between gap-3 border-b border-line px-4 py-2">
          <h2 className="flex items-center gap-2 text-14 font-semibold">
            {title}
            {badge}
          </h2>
          {actions}
        </header>
      ) : null}
      <div className={flush ? '' : 'p-4'}>{children}</div>
    </section>
  )
}

/** One title, one main action at its right, then the work. */
export function PageHeader({
  title,
  description,
  actions,
  badge,
}: {
  title: ReactNode
  description?: ReactNode
  actions?: ReactNode
  badge?: ReactNode
}) {
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3 pb-5">
      <div className="min-w-0">
        <h1 className="flex flex-wrap items-center gap-3 text-28 font-semibold">
          {title}
          {badge}
        </h1>
        {description ? <p className="mt-1 max-w-[68ch] text-14 text-muted">{description}</p> : null}
      </div>
      {actions ? <div className="flex flex-wrap gap-2">{actions}</div> : null}
    </div>
  )
}

type PillTone = 'neutral' | 'signal' | 'good' | 'warn' | 'bad' | 'info'
const pillTones: Record<PillTone, string> = {
  neutral: 'border-line text-muted',
  signal: 'border-transparent bg-signal text-ink',
  good: 'border-transparent bg-good-soft text-good',
  warn: 'border-transparent bg-warn-soft text-warn',
  bad: 'border-transparent bg-bad-soft text-bad',
  info: 'border-transparent bg-info-soft text-info',
}
export function Pill({ children, tone = 'neutral', className }: { children: ReactNode; tone?: PillTone; className?: string }) {
  return (
    <span
      className={cx(
        'inline-flex h-5 items-center gap-1 rounded-full border px-2 text-12 font-medium whitespace-nowrap tracking-normal',
        pillTones[tone],
        className,
      )}
    >
      {children}
    </span>
  )
}
/** Worn by every figure that is not the account's own. */
export function SamplePill() {
  return <Pill>Sample data</Pill>
}

export function Alert({
  tone = 'bad',
  title,
  children,
  className,
}: {
  tone?: 'bad' | 'good' | 'info' | 'warn'
  title?: ReactNode
  children?: ReactNode
  className?: string
}) {
  const tones = {
    bad: 'border-bad/40 bg-bad-soft text-bad',
    good: 'border-good/40 bg-good-soft text-good',
    info: 'border-info/40 bg-info-soft text-info',
    warn: 'border-warn/40 bg-warn-soft text-warn',
  }
  return (
    <div role={tone === 'bad' ? 'alert' : 'status'} className={cx('rounded-control border px-3 py-2 text-13', tones[tone], className)}>
      {title ? <p className="font-semibold">{title}</p> : null}
      {children ? <div className="text-text">{children}</div> : null}
    </div>
  )
}

/** Says what the place is for, and how it starts. */
export function EmptyState({
  title,
  children,
  action,
  compact,
}: {
  title: ReactNode
  children?: ReactNode
  action?: ReactNode
  compact?: boolean
}) {
  return (
    <div className={cx('flex flex-col items-start gap-3 px-5', compact ? 'py-6' : 'py-10')}>
      <EmptyRow className={compact ? 'h-7' : undefined} />
      <div>
        <p className="text-14 font-semibold">{title}</p>
        {children ? <p className="mt-1 max-w-[52ch] text-13 text-muted">{children}</p> : null}
      </div>
      {action}
    </div>
  )
}

/** Says what happened, what it means for the data, and what to do. */
export function ErrorState({
  title = 'This could not be loaded',
  error,
  retry,
  children,
}: {
  title?: ReactNode
  error?: unknown
  retry?: () => void
  children?: ReactNode
}) {
  const message = error instanceof Error ? error.message : undefined
  return (
    <div role="alert" className="flex flex-col items-start gap-3 px-5 py-8">
      <p className="flex items-center gap-2 text-14 font-semibold">
        <TriangleAlert className="size-4 text-warn" />
        {title}
      </p>
      <p className="max-w-[60ch] text-13 text-muted">{children ?? `${message ? `${message} ` : ''}Nothing you saved is affected.`}</p>
      {retry ? <Button onClick={retry}>Try again</Button> : null}
    </div>
  )
}

/** The place of what was asked for: grey while it comes, and the reason with a way to try again where it does not. */
export function Asked({
  query,
  skeleton,
  failed,
}: {
  query: { isPending: boolean; isError: boolean; error: Error | null; refetch: () => unknown }
  skeleton?: string
  failed: ReactNode
}) {
  if (query.isError) return <ErrorState title={failed} error={query.error} retry={() => query.refetch()} />
  return query.isPending && skeleton !== undefined ? <Skeleton className={skeleton} /> : null
}

export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden="true" className={cx('block skeleton', className)} />
}
