import { texts } from '@operon/contracts/messages'
import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../Button.tsx'
import { cx } from '../cx.ts'
import { ErrorState, Skeleton } from '../Panel.tsx'
import { MessageItem, type MessageTools } from './MessageItem.tsx'
import type { Chat } from './useConversation.ts'

type Props = MessageTools & {
  chat: Pick<Chat, 'messages' | 'busy' | 'loading' | 'reload'>
  label: string
  /** Stands above what was said: a greeting, first steps. */
  opening?: ReactNode
  below?: (key: string) => ReactNode
  className?: string
}

/** What was said, newest at the foot; it follows the answer unless the person has scrolled up to read. */
export function ChatLog({ chat, label, opening, below, className, ...tools }: Props) {
  const box = useRef<HTMLElement>(null)
  const follow = useRef(true)
  const last = chat.messages.at(-1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn is what moves the foot
  useEffect(() => {
    if (follow.current && chat.messages.length > 0) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [chat.messages.length, last?.content, last?.state])

  function onScroll() {
    const { scrollTop, scrollHeight, clientHeight } = box.current!
    follow.current = scrollHeight - scrollTop - clientHeight < 80
  }

  return (
    <section
      ref={box}
      onScroll={onScroll}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a log that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      className={cx('min-h-0 flex-1 overflow-y-auto overscroll-contain outline-offset-[-2px]', className)}
    >
      <div role="log" aria-label={label} aria-busy={chat.busy} className="mx-auto flex max-w-[46rem] flex-col gap-5 px-4 py-5">
        {opening}
        {chat.loading === 'loading' ? <LoadingLog /> : null}
        {chat.loading instanceof Error ? (
          <ErrorState title="This conversation could not be loaded" error={chat.loading} retry={() => chat.reload()} />
        ) : null}
        {chat.messages.map((message) => (
          <div key={message.key} className="flex flex-col gap-3">
            <MessageItem message={message} busy={chat.busy} {...tools} />
            {below?.(message.key)}
          </div>
        ))}
      </div>
    </section>
  )
}

/** Says an answer did not come and offers to ask again. */
export function Problem({ text, retry }: { text: string; retry?: () => void }) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-12 text-warn">
      {text || texts.unexpectedError}
      {retry ? (
        <Button variant="ghost" className="h-6 px-2 text-12" onClick={retry}>
          Try again
        </Button>
      ) : null}
    </p>
  )
}

function LoadingLog() {
  return (
    <div aria-hidden="true" className="flex flex-col gap-5">
      <Skeleton className="ml-auto h-10 w-1/2" />
      <Skeleton className="h-24 w-4/5" />
      <Skeleton className="ml-auto h-10 w-1/3" />
      <Skeleton className="h-16 w-3/5" />
    </div>
  )
}
