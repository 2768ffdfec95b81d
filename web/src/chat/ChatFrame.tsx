import { type ReactNode, useRef } from 'react'
import { cx } from '../ui/cx.ts'
import { useRoom } from './useRoom.ts'

type Props = {
  list?: ReactNode
  children: ReactNode
  /** The page is this conversation: on a phone it fills the screen, `top` up to the bar and `both` to the lower edge as well. */
  flush?: 'top' | 'both'
}

/** A conversation with its list. On a phone it takes the whole width: there it is the page. */
export function ChatFrame({ list, children, flush }: Props) {
  const frame = useRef<HTMLElement>(null)
  useRoom(frame, flush === 'both')
  return (
    <section
      ref={frame}
      className={cx(
        'flex flex-col overflow-hidden bg-panel max-md:-mx-4 max-md:border-b max-md:border-line md:rounded-panel md:border md:border-line',
        flush ? 'max-md:-mt-6' : 'max-md:border-t',
        flush === 'both' && 'max-md:-mb-6 max-md:border-b-0',
        list ? 'lg:grid lg:grid-cols-[17rem_minmax(0,1fr)] lg:grid-rows-[minmax(0,1fr)]' : '',
      )}
    >
      {list}
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{children}</div>
    </section>
  )
}
