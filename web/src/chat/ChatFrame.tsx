import { type ReactNode, useRef } from 'react'
import { cx } from '../ui/cx.ts'
import { ToastSlot } from '../ui/toast.tsx'
import { useRoom } from './useRoom.ts'

type Props = {
  list?: ReactNode
  /** The messages. */
  log: ReactNode
  composer: ReactNode
  /** Nothing has been said yet: the field stands in the middle, under the first steps. */
  empty: boolean
  /** The page is this conversation and fills the window; otherwise other things stand around it. */
  page?: boolean
}

/** A conversation from edge to edge, with its list beside it. */
export function ChatFrame({ list, log, composer, empty, page }: Props) {
  const frame = useRef<HTMLElement>(null)
  useRoom(frame, page)
  return (
    <section
      ref={frame}
      data-bleed={page || undefined}
      className={cx(
        'flex flex-col overflow-hidden bg-panel max-md:-mx-4',
        page ? 'max-md:-my-6' : 'border-y border-line md:-mx-8',
        list ? 'lg:grid lg:grid-cols-[17rem_minmax(0,1fr)] lg:grid-rows-[minmax(0,1fr)]' : '',
      )}
    >
      {list}
      <div className={cx('flex min-h-0 min-w-0 flex-1 flex-col', empty && 'md:justify-center md:pb-[6vh]')}>
        {log}
        <ToastSlot className="mx-auto w-full max-w-[46rem] px-3 not-empty:pt-2" />
        {composer}
      </div>
    </section>
  )
}
