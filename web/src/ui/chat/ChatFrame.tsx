import type { ReactNode } from 'react'
import { cx } from '../cx.ts'

/** A conversation with its list, as high as the window leaves room for below `above` rem of page. */
export function ChatFrame({ list, children, above = 13.25 }: { list?: ReactNode; children: ReactNode; above?: number }) {
  return (
    <section
      style={{ height: `calc(100dvh - ${above}rem)` }}
      className={cx(
        'flex min-h-[28rem] flex-col rounded-panel bg-panel hairline',
        list ? 'lg:grid lg:grid-cols-[16rem_minmax(0,1fr)] lg:grid-rows-[minmax(0,1fr)]' : '',
      )}
    >
      {list}
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{children}</div>
    </section>
  )
}
