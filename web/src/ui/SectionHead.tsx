import type { ReactNode } from 'react'
import { cx } from './cx.ts'

type Props = { title: ReactNode; children?: ReactNode; as?: 'h1' | 'h2'; className?: string }

/** How a public page or one of its sections begins: its one idea at the left, the sentence under it at the right. */
export function SectionHead({ title, children, as: Heading = 'h2', className }: Props) {
  return (
    <div className={cx('grid gap-x-10 gap-y-4 px-5 pt-14 pb-10 md:grid-cols-12 md:px-8 md:pt-24 md:pb-14', className)}>
      <Heading className="text-40 font-semibold md:col-span-7">{title}</Heading>
      {children ? <div className="max-w-[44ch] self-end text-muted md:col-span-5 lg:col-span-4 lg:col-start-9">{children}</div> : null}
    </div>
  )
}
