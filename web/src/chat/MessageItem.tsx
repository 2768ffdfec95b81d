import { inputLimits } from '@operon/contracts/ai-gateway/limits'
import { Check, ChevronLeft, ChevronRight, Copy, Gauge, Pencil, RefreshCw } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { RECORDED, writerName } from '../content/models.ts'
import { Button } from '../ui/Button.tsx'
import { useCopied } from '../ui/copy.ts'
import { cx } from '../ui/cx.ts'
import { moment } from '../ui/format.ts'
import { Busy } from '../ui/Mark.tsx'
import { Markdown, OwnPictures } from '../ui/Markdown.tsx'
import { Pill } from '../ui/Panel.tsx'
import { drawable } from './drawable.ts'
import { type ChatMessage, cost } from './message.ts'
import { OwnPicture } from './OwnPicture.tsx'
import { Problem } from './Problem.tsx'
import { Sources } from './Sources.tsx'
import { tooLong } from './tooLong.ts'
import { useInputLimit } from './useInputLimit.ts'

export type MessageTools = {
  onRegenerate?: (message: ChatMessage) => void
  onResend?: (message: ChatMessage, text: string) => void
  /** How many characters a message may have. */
  limit?: number
  /** The toast once an answer is copied. */
  copiedSays?: string
  /** Where a message stands among its versions, and how another one is shown. */
  versionOf?: (message: ChatMessage) => { at: number; of: number }
  onVersion?: (message: ChatMessage, at: number) => void
}

/** Beyond this a question is folded, so that the answer to it stays near. */
const LONG = 900

export function MessageItem({ message, busy, ...tools }: MessageTools & { message: ChatMessage; busy: boolean }) {
  return message.role === 'user' ? <Said message={message} busy={busy} {...tools} /> : <Answer message={message} busy={busy} {...tools} />
}

function Said({ message, busy, onResend, limit, ...versions }: MessageTools & { message: ChatMessage; busy: boolean }) {
  const [draft, setDraft] = useState<string | null>(null)
  const long = message.content.length > LONG || message.content.split('\n').length > 12
  const [folded, setFolded] = useState(long)
  const most = useInputLimit(draft ?? '', limit ?? inputLimits.chat)
  const refused = draft === null ? null : tooLong(draft, most)
  function resend() {
    if (!draft?.trim() || refused || busy) return
    setDraft(null)
    onResend?.(message, draft)
  }
  if (draft !== null)
    return (
      <div className="flex flex-col gap-2">
        <textarea
          aria-label="Edit your message"
          // biome-ignore lint/a11y/noAutofocus: the person has just asked to edit
          autoFocus
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setDraft(null)
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            resend()
          }}
          className="min-h-20 w-full rounded-control border border-control bg-page p-2.5 text-14 field-sizing-content"
        />
        <div className="flex justify-end gap-2">
          <Button variant="ghost" onClick={() => setDraft(null)}>
            Cancel
          </Button>
          <Button variant="primary" disabled={!draft.trim() || busy || refused !== null} onClick={resend}>
            Resend
          </Button>
        </div>
        {refused ? (
          <p role="alert" className="text-12 text-bad">
            {refused}
          </p>
        ) : null}
        <p className="text-12 text-faint">Your first message and its answer are kept as another version.</p>
      </div>
    )
  const tools = (
    <>
      <CopyTool label="Copy your message" text={message.content} />
      {onResend && message.id && !busy ? (
        <Tool label="Edit and resend" onClick={() => setDraft(message.content)}>
          <Pencil />
        </Tool>
      ) : null}
    </>
  )
  return (
    <div className="group flex flex-col items-end">
      <div className="flex max-w-full items-center justify-end gap-1">
        <span className="flex shrink-0 max-md:hidden md:opacity-0 md:group-focus-within:opacity-100 md:group-hover:opacity-100">
          {tools}
        </span>
        <p
          className={cx(
            'min-w-0 rounded-panel bg-raised px-3.5 py-2 text-14 break-words whitespace-pre-wrap',
            folded && 'line-clamp-8 overflow-hidden',
          )}
        >
          <span className="sr-only">You: </span>
          {message.content}
        </p>
      </div>
      <div className="flex items-center empty:hidden">
        {long ? (
          <button type="button" onClick={() => setFolded(!folded)} className="min-h-6 px-1 text-12 text-muted underline underline-offset-2">
            {folded ? 'Show all of it' : 'Show less'}
          </button>
        ) : null}
        <Versions message={message} busy={busy} {...versions} />
        <span className="flex md:hidden">{tools}</span>
      </div>
    </div>
  )
}

/** `‹ 2/3 ›`: the versions of a message, each with what followed it. */
function Versions({ message, busy, versionOf, onVersion }: MessageTools & { message: ChatMessage; busy: boolean }) {
  const { at, of } = versionOf?.(message) ?? { at: 0, of: 1 }
  if (of < 2) return null
  return (
    <fieldset aria-label="Versions" className="flex items-center text-12 text-muted">
      <Tool label="Earlier version" disabled={busy || at === 0} onClick={() => onVersion?.(message, at - 1)}>
        <ChevronLeft />
      </Tool>
      <span className="tabular">
        {at + 1}/{of}
      </span>
      <Tool label="Later version" disabled={busy || at === of - 1} onClick={() => onVersion?.(message, at + 1)}>
        <ChevronRight />
      </Tool>
    </fieldset>
  )
}

function Answer({ message, busy, onRegenerate, copiedSays, ...versions }: MessageTools & { message: ChatMessage; busy: boolean }) {
  const [details, setDetails] = useState(false)
  const writing = message.state === 'streaming'
  // A line of the app itself: nothing to copy, ask again or pay for.
  const ours = message.id === null && !message.answeredBy && message.state === 'complete'
  const unanswered = message.state === 'failed' || (message.state === 'stopped' && !message.content)
  return (
    <article className="flex min-w-0 flex-col gap-2">
      <span className="sr-only">Answer: </span>
      {message.content && message.state !== 'failed' ? (
        <OwnPictures value={OwnPicture}>
          <Markdown>{drawable(message.content, message.state)}</Markdown>
        </OwnPictures>
      ) : null}
      {writing ? <Writing begun={message.content !== ''} /> : null}
      <EndState message={message} retry={onRegenerate && !busy ? () => onRegenerate(message) : undefined} />
      {message.citations?.length ? <Sources links={message.citations} /> : null}
      {unanswered ? <Versions message={message} busy={busy} {...versions} /> : null}
      {writing || ours || unanswered ? null : (
        <footer className="-ml-1.5 flex min-h-7 flex-wrap items-center gap-0.5 text-12 text-faint">
          <Versions message={message} busy={busy} {...versions} />
          {message.content ? <CopyTool text={message.content} said={copiedSays} /> : null}
          {onRegenerate && message.id && message.answeredBy && !busy ? (
            <Tool label="Regenerate" onClick={() => onRegenerate(message)}>
              <RefreshCw />
            </Tool>
          ) : null}
          {message.usage && message.answeredBy && message.answeredBy !== RECORDED ? (
            <Tool label="Tokens and cost" aria-expanded={details} onClick={() => setDetails(!details)}>
              <Gauge />
            </Tool>
          ) : null}
          {message.answeredBy ? (
            <span className="ml-1.5">{writerName(message.model ?? message.answeredBy, message.answeredBy)}</span>
          ) : null}
          {message.sandbox ? <Pill className="ml-1.5">Sandbox answer</Pill> : null}
          {details && message.usage ? (
            <span className="ml-2 font-mono tabular">
              <time dateTime={message.at}>{moment(message.at)}</time> · {message.answeredBy} · {message.usage.prompt_tokens} in ·{' '}
              {message.usage.completion_tokens} out · {cost(message.usage.cost_microusd)}
            </span>
          ) : null}
        </footer>
      )}
    </article>
  )
}

const SLOW_MS = 8000

/** Says what is under way; after a while without a word, also what the person can do. */
function Writing({ begun }: { begun: boolean }) {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p className="flex flex-wrap items-center gap-2.5 text-13 text-muted">
      <Busy label="Thinking" className="my-1 text-signal-text" />
      {begun ? null : slow ? 'The model is slow to begin. If you stop now, this still counts as one prompt.' : 'Thinking'}
    </p>
  )
}

const cutOff = 'This answer was cut off. Everything that arrived is shown.'
function EndState({ message, retry }: { message: ChatMessage; retry?: () => void }) {
  if (message.state === 'cut')
    return message.problem ? <Problem title={cutOff} text={message.problem} retry={retry} /> : <Problem text={cutOff} retry={retry} />
  if (message.state === 'failed')
    return <Problem title={message.content} text={message.problem ?? 'No answer came.'} retry={retry} atLimit={message.atLimit} />
  if (message.state === 'stopped' && !message.content)
    return (
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-13 text-muted">
        You stopped this before the answer began. It counts as one prompt if the model was already reading.
        {retry ? <Button onClick={retry}>Ask again</Button> : null}
      </p>
    )
  if (message.state === 'stopped') return <p className="text-12 text-muted">You stopped this answer. Everything that arrived is shown.</p>
  return null
}

export function CopyTool({ text, label = 'Copy', said }: { text: string; label?: string; said?: string }) {
  const { copied, copy } = useCopied()
  return (
    <Tool label={copied ? 'Copied' : label} onClick={() => copy(text, said)}>
      {copied ? <Check className="text-good" /> : <Copy />}
    </Tool>
  )
}

type ToolProps = {
  label: string
  onClick: () => void
  children: ReactNode
  className?: string
  disabled?: boolean
  'aria-expanded'?: boolean
}
export function Tool({ label, className = '', ...rest }: ToolProps) {
  return (
    <button
      type="button"
      aria-label={label}
      data-tip={label}
      className={`grid size-7 shrink-0 place-items-center rounded-control text-faint hover:bg-raised hover:text-text disabled:pointer-events-none disabled:opacity-40 max-md:size-9 [&_.lucide]:size-3.5 ${className}`}
      {...rest}
    />
  )
}
