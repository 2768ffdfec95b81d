import type { ReactNode } from 'react'
import { cx } from '../cx.ts'

/** A conversation with its list, as high as the window leaves room for. */
export function ChatFrame({ list, children, className }: { list?: ReactNode; children: ReactNode; className?: string }) {
  return (
    <section
      className={cx(
        'flex h-[calc(100dvh-13rem)] min-h-[28rem] flex-col rounded-panel bg-panel hairline max-md:h-[calc(100dvh-14rem)]',
        list ? 'lg:grid lg:grid-cols-[16rem_minmax(0,1fr)] lg:grid-rows-[minmax(0,1fr)]' : '',
        className,
      )}
    >
      {list}
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{children}</div>
    </section>
  )
}
