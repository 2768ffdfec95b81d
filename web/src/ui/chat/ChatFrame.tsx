import { type ReactNode, useRef } from 'react'
import { cx } from '../cx.ts'
import { useRoom } from './useRoom.ts'

/** A conversation with its list. On a phone it takes the whole width: there it is the page. */
export function ChatFrame({ list, children }: { list?: ReactNode; children: ReactNode }) {
  const frame = useRef<HTMLElement>(null)
  useRoom(frame)
  return (
    <section
      ref={frame}
      className={cx(
        'flex flex-col overflow-hidden bg-panel max-md:-mx-4 max-md:border-y max-md:border-line md:rounded-panel md:border md:border-line',
        list ? 'lg:grid lg:grid-cols-[16rem_minmax(0,1fr)] lg:grid-rows-[minmax(0,1fr)]' : '',
      )}
    >
      {list}
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{children}</div>
    </section>
  )
}
