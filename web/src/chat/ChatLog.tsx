import { ArrowDown, Square } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { ErrorState, Skeleton } from '../ui/Panel.tsx'
import { ApprovalCard } from './ApprovalCard.tsx'
import { EvidenceTable } from './EvidenceTable.tsx'
import { MessageItem, type MessageTools } from './MessageItem.tsx'
import type { ChatMessage } from './message.ts'
import { Remembered } from './Remembered.tsx'
import type { Chat } from './useConversation.ts'
import { useFollow } from './useFollow.ts'
import { plainText } from './useSpeechOutput.ts'

type Props = MessageTools & {
  chat: Pick<Chat, 'messages' | 'busy' | 'loading' | 'reload'> &
    Partial<Pick<Chat, 'versionOf' | 'showVersion' | 'approvalsOf' | 'leaving' | 'stay'>>
  label: string
  /** Stands above what was said: a greeting, first steps. */
  opening?: ReactNode
  below?: (key: string) => ReactNode
  className?: string
}

/** The messages, newest at the foot; the log follows the answer unless the person has scrolled up to read. */
export function ChatLog({ chat, label, opening, below, className, ...tools }: Props) {
  const empty = chat.messages.length === 0 && chat.loading === 'done'
  const newest = chat.messages.at(-1)?.key
  const { box, content, away, toEnd } = useFollow(newest, chat.messages.length > 0)

  return (
    <div className={cx('relative flex min-h-0 flex-col', empty ? 'max-md:flex-1 md:shrink' : 'flex-1', className)}>
      <section
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a log that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain outline-offset-[-2px]"
      >
        {/* Not read out letter by letter: what is new is told whole, below. */}
        <div
          ref={content}
          role="log"
          aria-live="off"
          aria-label={label}
          aria-busy={chat.busy}
          className={cx('mx-auto flex max-w-[46rem] flex-col gap-5 px-4 pt-5', chat.messages.length > 0 ? 'pb-8' : 'pb-1')}
        >
          {opening}
          {chat.loading === 'loading' ? <LoadingLog /> : null}
          {chat.loading instanceof Error ? (
            <ErrorState title="This conversation could not be loaded" error={chat.loading} retry={() => chat.reload()} />
          ) : null}
          {chat.messages.map((message) => (
            <div key={message.key} data-said={message.role === 'user' || undefined} className="flex flex-col gap-3">
              <MessageItem message={message} busy={chat.busy} versionOf={chat.versionOf} onVersion={chat.showVersion} {...tools} />
              {message.evidence?.map((each, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: what was looked up never moves
                <EvidenceTable key={`${each.action}-${at}`} evidence={each} />
              ))}
              {chat.approvalsOf?.(message).map((approval) => (
                <ApprovalCard key={approval.id} given={approval} />
              ))}
              {message.remembered?.map((memory) => (
                <Remembered key={memory.id} memory={memory} />
              ))}
              {below?.(message.key)}
            </div>
          ))}
        </div>
      </section>
      {away ? (
        <Button onClick={toEnd} className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full bg-raised shadow-float animate-rise">
          <ArrowDown />
          Jump to latest
        </Button>
      ) : null}
      {chat.leaving ? (
        <div
          className="mx-3 mb-2 flex items-center justify-between gap-3 rounded-control bg-raised py-1.5 pr-1.5 pl-3 text-13"
          role="status"
        >
          Opening {chat.leaving.name}
          <Button onClick={chat.stay}>
            <Square className="fill-current" />
            Stop
          </Button>
        </div>
      ) : null}
      <Announced last={chat.messages.at(-1)} />
    </div>
  )
}

const MOST_READ_OUT = 600
const CLEARED_AFTER_MS = 10_000

/** For those who hear the page: that an answer is being written, and then the answer, once. */
function Announced({ last }: { last: ChatMessage | undefined }) {
  const [line, setLine] = useState('')
  const heard = useRef(last?.key)
  const writing = last?.state === 'streaming'
  // biome-ignore lint/correctness/useExhaustiveDependencies: told when it begins and when it has ended
  useEffect(() => {
    if (last?.role !== 'assistant') return
    if (writing) {
      heard.current = undefined
      return setLine('Answering')
    }
    if (heard.current === last.key) return
    heard.current = last.key
    const words = plainText(last.content)
    setLine(`Answer: ${words.length > MOST_READ_OUT ? `${words.slice(0, MOST_READ_OUT)} … The rest is in the conversation.` : words}`)
    const timer = setTimeout(() => setLine(''), CLEARED_AFTER_MS)
    return () => clearTimeout(timer)
  }, [last?.key, writing])
  return (
    <p aria-live="polite" className="sr-only">
      {line}
    </p>
  )
}

function LoadingLog() {
  return (
    <div aria-hidden="true" className="flex flex-col gap-6">
      <Skeleton className="ml-auto h-10 w-1/2" />
      <Skeleton className="h-24 w-4/5" />
      <Skeleton className="ml-auto h-10 w-1/3" />
      <Skeleton className="h-16 w-3/5" />
    </div>
  )
}
