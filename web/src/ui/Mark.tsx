import { cx } from './cx.ts'

/** The operon: a promoter arrow and three genes on one line. */
export function Mark({ className, title }: { className?: string; title?: string }) {
  return (
    <svg
      viewBox="0 0 34 22"
      className={cx('h-5 w-auto', className)}
      role={title ? 'img' : undefined}
      aria-hidden={title ? undefined : true}
      aria-label={title}
    >
      <path
        d="M2 17.5V5.5h8.5M7.5 2.5l3 3-3 3"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.9"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <g className="fill-signal-text">
        <rect x="6" y="15" width="11" height="5" rx="2.5" />
        <rect x="19.5" y="15" width="5" height="5" rx="2.5" />
        <rect x="27" y="15" width="7" height="5" rx="2.5" />
      </g>
    </svg>
  )
}

export function Wordmark({ name, className }: { name: string; className?: string }) {
  return (
    <span className={cx('inline-flex items-center gap-2.5 text-16 font-semibold tracking-[-0.02em] text-text', className)}>
      <Mark />
      {name}
    </span>
  )
}

/** Three bars that light up in order: something is under way. */
export function Busy({ label = 'Loading', className }: { label?: string; className?: string }) {
  return (
    <span role="status" aria-label={label} className={cx('inline-flex items-center gap-1', className)}>
      {[11, 5, 7].map((width, index) => (
        <span key={width} className="h-1.5 rounded-full bg-current animate-gene" style={{ width, animationDelay: `${index * 160}ms` }} />
      ))}
    </span>
  )
}

const lines = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 1.5,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const

/** The row with one bar missing: nothing here yet. */
export function EmptyRow({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 132 40" className={cx('h-10 w-auto text-control', className)} {...lines} aria-hidden="true">
      <path d="M4 29V9h16m-5-5 5 5-5 5" />
      <path d="M4 29h10M58 29h8M98 29h4M126 29h4" />
      <rect x="14" y="22" width="44" height="14" rx="7" />
      <rect x="66" y="22" width="32" height="14" rx="7" strokeDasharray="3 4" className="text-signal-text" stroke="currentColor" />
      <rect x="102" y="22" width="24" height="14" rx="7" />
    </svg>
  )
}

export type Gene = { width: number; state?: 'on' | 'coming' }

/** The motif drawn to measure: the arrow, its line, and bars that are on or still coming. */
export function GeneRow({ genes, className }: { genes: readonly Gene[]; className?: string }) {
  const gap = 10
  let end = 26
  const placed = genes.map((gene) => {
    const x = end
    end += gene.width + gap
    return { ...gene, x }
  })
  return (
    <svg viewBox={`0 0 ${end + 4} 48`} className={cx('h-12 w-auto max-w-full text-control', className)} {...lines} aria-hidden="true">
      <path d={`M2 36H${end + 2}`} />
      <path d="M2 36V9h18m-6-6 6 6-6 6" className="text-text" stroke="currentColor" />
      {placed.map(({ x, width, state = 'on' }) => (
        <rect
          key={x}
          x={x}
          y="27"
          width={width}
          height="18"
          rx="9"
          className={state === 'on' ? 'fill-signal' : 'fill-page'}
          stroke={state === 'on' ? 'none' : 'currentColor'}
          strokeDasharray={state === 'on' ? undefined : '3 4'}
        />
      ))}
    </svg>
  )
}
