import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { cx } from './cx.ts'

/** A row of buttons of which one is pressed: a time range, a filter, a view. */
export function Choices<T>({
  label,
  of,
  chosen,
  choose,
  children = String,
  className,
}: {
  label: string
  of: readonly T[]
  chosen: T
  choose: (value: T) => void
  /** The words of a button. */
  children?: (value: T) => ReactNode
  className?: string
}) {
  return (
    <fieldset className={cx('flex min-w-0 gap-1 overflow-x-auto', className)} aria-label={label}>
      {of.map((value) => (
        <Button
          key={String(value)}
          variant="ghost"
          aria-pressed={value === chosen}
          className={cx('max-md:px-3', value === chosen && 'bg-raised !text-text')}
          onClick={() => choose(value)}
        >
          {children(value)}
        </Button>
      ))}
    </fieldset>
  )
}
