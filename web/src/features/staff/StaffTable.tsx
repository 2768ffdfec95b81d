import type { ReactNode } from 'react'
import { cx } from '../../ui/cx.ts'

/** A table whose last columns show on wide screens only: on a phone nothing is pushed out of sight. */
export function StaffTable({
  label,
  first = [],
  head,
  wide = [],
  actions,
  children,
}: {
  label: string
  first?: string[]
  head: string[]
  wide?: string[]
  actions?: boolean
  children: ReactNode
}) {
  const cell = (className: string) => (name: string) => (
    <th key={name} scope="col" className={cx('px-4 py-2 font-medium whitespace-nowrap', name === 'Amount' && 'text-right', className)}>
      {name}
    </th>
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className="relative overflow-x-auto" aria-label={label} tabIndex={0}>
      <table className="w-full text-left text-13">
        <thead>
          <tr className="border-b border-line text-12 text-faint">
            {first.map(cell('max-md:hidden'))}
            {head.map(cell(''))}
            {wide.map(cell('max-md:hidden'))}
            {actions ? (
              <th scope="col">
                <span className="sr-only">Actions</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody className="divide-y divide-line [&_td]:px-4 [&_td]:py-2.5">{children}</tbody>
      </table>
    </section>
  )
}
