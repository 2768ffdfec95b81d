import { cx } from '../../ui/cx.ts'

const genes = [
  ['Leads', 'grow-[3]'],
  ['Content', 'grow-[5]'],
  ['Ads', 'grow-[2]'],
  ['Mail', 'grow-[3]'],
  ['Payments', 'grow-[4]'],
] as const

/** The motif at full size: one signal, and the row comes on in order. Its line is the upper edge of the screen below. */
export function Strand({ className }: { className?: string }) {
  return (
    <div aria-hidden="true" className={cx('flex items-end', className)}>
      <svg
        aria-hidden="true"
        viewBox="0 0 56 56"
        className="h-14 w-14 shrink-0 text-text max-sm:-ml-1"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        <path d="M8 56V14h32m-9-9 9 9-9 9" />
      </svg>
      <div className="flex min-w-0 flex-1 translate-y-1/2 gap-1.5 sm:gap-2.5">
        {genes.map(([name, grow], index) => (
          <span
            key={name}
            className={`flex h-7 min-w-0 basis-0 items-center justify-center overflow-hidden rounded-full bg-signal px-2 text-12 font-semibold text-ink animate-switch-on max-sm:px-1 max-[379px]:[font-size:0] md:h-8 md:text-13 ${grow}`}
            style={{ animationDelay: `${120 + index * 110}ms` }}
          >
            {name}
          </span>
        ))}
      </div>
    </div>
  )
}
