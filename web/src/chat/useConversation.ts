import { texts } from '@operon/contracts/messages'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import {
  type AppPage,
  type Approval,
  type ChatReply,
  type ChatRequest,
  type Conversation,
  CutAnswer,
  change,
  listApprovals,
  type Message,
  readConversation,
  readMessage,
  streamChat,
  type Watch,
} from '../api/ai.ts'
import { call } from '../api/call.ts'
import { ApiError } from '../api/http.ts'
import { toast } from '../ui/toast.tsx'
import { drawing } from './drawing.ts'
import { type ChatMessage, fromRow, fromRows, ownLine } from './message.ts'
import { threadTo, tipUnder, versionsOf } from './thread.ts'
import { useLeading } from './useLeading.ts'
import { newUuid } from './uuid.ts'

export type Options = {
  feature: NonNullable<ChatRequest['feature']>
  model: string
  conversationId: string | null
  /** `named`: the server has just given its id to the conversation that is open. */
  onConversation: (id: string | null, named?: boolean) => void
  /** Lines that stand in the place of an answer that did not come, or came empty. */
  failedLine?: string
  emptyLine?: string
  onFailure?: (error: Error) => void
  /** A kept conversation was opened. */
  onOpened?: (conversation: Conversation) => void
  /** Opens the version that has this message, once. */
  showing?: string | null
  /** It may look up, propose, and lead to these pages. */
  pages?: readonly AppPage[]
}
type SendOptions = {
  model?: string
  system?: string
  /** Written by the server's own prompt, which says the same as the text that is shown. */
  writing?: ChatRequest['writing']
  seed?: ChatRequest['seed']
  /** Asks somebody else than the plain chat, with the same question. */
  via?: (question: ChatRequest, watch: Watch) => Promise<ChatReply>
}
export type Chat = ReturnType<typeof useConversation>

/** Every version of what was said, and the last message of the one that is shown. */
type Kept = { all: ChatMessage[]; tip: string | null }
/** Those of the newest answers: an address holds so many ids. */
const MOST_ANSWERS = 100
const nothing: Kept = { all: [], tip: null }

/** One conversation: what was said, the answer being written, and an answer that went on while nobody watched. */
export function useConversation(options: Options) {
  const { feature, model, conversationId, onConversation, onFailure, showing, pages } = options
  const lines = { failed: options.failedLine ?? texts.failedToSend, empty: options.emptyLine ?? texts.noResponse }
  const queries = useQueryClient()
  const [{ all, tip }, setKept] = useState<Kept>(nothing)
  const messages = threadTo(all, tip)
  const [pending, setPending] = useState<{ key: string; id: string } | null>(null)
  const [loading, setLoading] = useState<'done' | 'loading' | Error>(conversationId ? 'loading' : 'done')
  const known = useRef<string | null>(null)
  const watch = useRef<AbortController>(undefined)
  const stopped = useRef(false)
  // From the first press on, before anything is drawn: a second one sends nothing.
  const sending = useRef(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another address opens another conversation
  useEffect(() => {
    if (conversationId === known.current) return
    show(conversationId)
  }, [conversationId])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another message of the conversation that is open
  useEffect(() => {
    if (showing && all.some(({ key }) => key === showing)) setKept({ all, tip: tipUnder(all, showing) })
  }, [showing])
  useEffect(() => () => watch.current?.abort(), [])

  function show(id: string | null) {
    known.current = id
    watch.current?.abort()
    setPending(null)
    setKept(nothing)
    setLoading(id ? 'loading' : 'done')
    if (id) void load(id)
  }

  async function load(id: string) {
    setLoading('loading')
    try {
      const { conversation, rows } = await readConversation(id)
      if (known.current !== id) return
      const read = fromRows(rows, lines)
      const wanted = showing && read.some(({ key }) => key === showing) ? tipUnder(read, showing) : null
      setKept({ all: read, tip: wanted ?? shownLast(conversation, rows) })
      if (conversation) options.onOpened?.(conversation)
      setLoading('done')
    } catch (error) {
      if (known.current === id) setLoading(error as Error)
    }
  }

  const patch = (key: string, changes: Partial<ChatMessage>) =>
    setKept((now) => ({ ...now, all: now.all.map((message) => (message.key === key ? { ...message, ...changes } : message)) }))

  const leading = useLeading((line) => add(ownLine(line)))
  const add = (...added: ChatMessage[]) => setKept((now) => added.reduce(followed, now))

  const answers = messages.flatMap(({ id, role }) => (id && role === 'assistant' ? [id] : [])).slice(-MOST_ANSWERS)
  const approvals = useQuery({
    queryKey: ['ai-approvals', conversationId, answers.length, answers.at(-1)],
    enabled: pages !== undefined && answers.length > 0 && pending === null,
    placeholderData: (before) => before,
    queryFn: () => listApprovals(answers),
  })

  const unwatched = messages.find((message) => message.state === 'streaming' && message.id && message.key !== pending?.key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: one message is looked for until it has ended
  useEffect(() => {
    if (!unwatched) return
    const { id, key } = unwatched
    let timer: ReturnType<typeof setTimeout> | undefined
    let left = false
    async function look() {
      const row = await readMessage(id!).catch(() => undefined)
      if (left) return
      if (row === null) return patch(key, { state: 'cut' })
      if (row) patch(key, { ...fromRow(row, lines), key, after: unwatched!.after })
      // Unreachable for now: it is asked again until it is there or the person leaves.
      if (!row || row.state === 'streaming') timer = setTimeout(look, 1000)
    }
    void look()
    return () => {
      left = true
      clearTimeout(timer)
    }
  }, [unwatched?.id])

  async function exchange(
    text: string | null,
    kept: ChatMessage[],
    { replaces, drops = [], ...send }: Exchange,
  ): Promise<ChatReply | null> {
    if (sending.current) return null
    sending.current = true
    leading.stay()
    const before = kept.at(-1)?.key ?? null
    const said: ChatMessage | null = text === null ? null : { ...ownLine(text, 'user'), after: before }
    const answer: ChatMessage = { ...ownLine(''), after: said?.key ?? before, state: 'streaming', model: send.model ?? model }
    const begun = [...(said ? [said] : []), answer]
    setKept((now) => ({ all: [...now.all.filter(({ key }) => !drops.includes(key)), ...begun], tip: answer.key }))
    // Until the server has named the answer, it can be stopped by a name of ours.
    const stop_id = newUuid()
    setPending({ key: answer.key, id: stop_id })
    const control = new AbortController()
    watch.current = control
    stopped.current = false
    let answerId: string | null = null
    const drawn = drawing((content) => patch(answer.key, { content }))

    function place(conversation: string | null, id: string | null, saidId: string | null) {
      answerId = id
      if (said && saidId) patch(said.key, { id: saidId })
      patch(answer.key, { id })
      if (id) setPending({ key: answer.key, id })
      if (!conversation || conversation === known.current) return
      known.current = conversation
      onConversation(conversation, conversationId === null)
      void queries.invalidateQueries({ queryKey: ['ai-conversations'] })
    }

    try {
      const reply = await (send.via ?? streamChat)(
        {
          feature,
          model: send.model ?? model,
          stop_id,
          conversation_id: known.current ?? 'new',
          ...(send.writing ? { writing: send.writing } : text !== null && { message: text }),
          ...(replaces
            ? { replace_message_id: replaces }
            : known.current && { after_message_id: kept.findLast(({ id }) => id)?.id ?? undefined }),
          ...(send.seed && !known.current && { seed: send.seed }),
          ...(pages && { tools: true, pages: [...pages] }),
          ...(send.system && { messages: [{ role: 'system', content: send.system }] }),
        },
        {
          signal: control.signal,
          onKept: (kept) => place(kept.conversation_id, kept.message_id, kept.said_id),
          onStart(started) {
            place(started.conversation_id, started.message_id, started.said_id)
            patch(answer.key, { answeredBy: started.answered_by, sandbox: started.sandbox })
          },
          onText: drawn.text,
        },
      )
      drawn.end()
      patch(answer.key, {
        content: reply.content || lines.empty,
        state: stopped.current ? 'stopped' : 'complete',
        answeredBy: reply.answered_by,
        sandbox: reply.sandbox,
        citations: reply.citations,
        usage: reply.usage,
        evidence: reply.evidence,
        approval: reply.approval,
        done: reply.done,
        remembered: reply.remembered,
      })
      if (stopped.current) return null
      if (reply.open) leading.lead(reply.open)
      return reply
    } catch (thrown) {
      drawn.end()
      if (control.signal.aborted) {
        if (stopped.current) patch(answer.key, { state: 'stopped' })
        return null
      }
      const error = thrown as Error
      const ids = error instanceof ApiError ? (error.details as Record<string, string | null> | undefined) : undefined
      if (ids?.conversation_id) place(ids.conversation_id, ids.message_id ?? null, ids.said_id ?? null)
      if (error instanceof ApiError && error.code === 'answer_stopped') {
        patch(answer.key, { state: 'stopped' })
        return null
      }
      if (error instanceof CutAnswer && error.lost && answerId) return null
      // Nothing was heard for too long: what may still be under way there is ended.
      if (error instanceof ApiError && error.code === 'upstream_timeout')
        void call('ai-stop', { message_id: answerId ?? stop_id }).catch(() => {})
      if (error instanceof CutAnswer) patch(answer.key, { content: error.content, state: 'cut', problem: error.message })
      else patch(answer.key, { content: lines.failed, state: 'failed', problem: error.message, atLimit: isLimit(error) })
      onFailure?.(error)
      return null
    } finally {
      sending.current = false
      if (watch.current === control) setPending(null)
      void queries.invalidateQueries({ queryKey: ['ai-conversations'] })
      void queries.invalidateQueries({ queryKey: ['ai-usage'] })
    }
  }

  const busy = pending !== null || unwatched !== undefined
  const indexOf = (message: ChatMessage) => messages.findIndex(({ key }) => key === message.key)

  return {
    messages,
    busy,
    loading,
    reload: () => conversationId && load(conversationId),
    /** Adds lines of the app's own. */
    add,
    /** The changes that an answer made, and the steps it asks approval for. The stored answer has more detail than the stream. */
    approvalsOf({ id, approval, done = [] }: ChatMessage): Approval[] {
      const kept = approvals.data?.filter(({ message_id }) => id && message_id === id)
      return kept?.length ? kept : approval ? [...done, approval] : done
    },
    leaving: leading.to,
    stay: leading.stay,
    /** The number of a message's version, and how many there are. */
    versionOf(message: ChatMessage): { at: number; of: number } {
      const versions = versionsOf(all, message)
      return { at: versions.findIndex(({ key }) => key === message.key), of: versions.length }
    },
    /** Shows another version of a message with what followed it, and goes on from there. */
    showVersion(message: ChatMessage, at: number) {
      const version = versionsOf(all, message)[at]
      if (busy || !version) return
      const next = tipUnder(all, version.key)
      setKept({ all, tip: next })
      const tip_id = threadTo(all, next).findLast(({ id }) => id)?.id
      // It is shown all the same; another look begins at the version that was kept.
      if (known.current && tip_id) change('ai_conversations', known.current, { tip_id }).catch(() => {})
    },
    /** Opens a kept conversation, or with null a new one. */
    open(id: string | null) {
      // The address may be a moment behind a conversation that has just got its id.
      const moves = id !== known.current || id !== conversationId
      show(id)
      if (moves) onConversation(id)
    },
    /** Begins another conversation with this. */
    begin(text: string, send: SendOptions = {}): Promise<ChatReply | null> {
      if (busy || sending.current || !text.trim()) return Promise.resolve(null)
      known.current = null
      setKept(nothing)
      return exchange(text.trim(), [], send)
    },
    /** Resolves with the whole answer, or with null where none came or it was stopped. */
    send(text: string, send: SendOptions = {}): Promise<ChatReply | null> {
      if (busy || !text.trim()) return Promise.resolve(null)
      return exchange(text.trim(), messages, send)
    },
    /** Asks the same again: a version beside the first answer, unless that never came. */
    regenerate(message: ChatMessage, send: SendOptions = {}): Promise<ChatReply | null> {
      const at = indexOf(message)
      const said = messages.slice(0, at).findLast(({ role }) => role === 'user')
      if (busy || !said) return Promise.resolve(null)
      const unanswered = message.state === 'failed' || (message.state === 'stopped' && !message.content)
      if (message.id && known.current)
        return exchange(null, messages.slice(0, at), { ...send, replaces: message.id, drops: unanswered ? [message.key] : [] })
      return exchange(said.content, messages.slice(0, indexOf(said)), { ...send, drops: [said.key, message.key] })
    },
    /** Says it differently: a version beside the first question. */
    resend(message: ChatMessage, text: string, send: SendOptions = {}): Promise<ChatReply | null> {
      if (busy || !text.trim()) return Promise.resolve(null)
      return exchange(text.trim(), messages.slice(0, indexOf(message)), { ...send, replaces: message.id })
    },
    /** Ends the answer; what has arrived is kept. */
    async stop() {
      stopped.current = true
      const id = pending?.id ?? unwatched?.id
      if (!id) return
      await call('ai-stop', { message_id: id }).catch((error: Error) => {
        stopped.current = false
        toast.error('It could not be stopped', error.message)
      })
    },
  }
}

type Exchange = SendOptions & { replaces?: string | null; drops?: string[] }

/** A line of the app's own follows what is shown. */
const followed = ({ all, tip }: Kept, line: ChatMessage): Kept => ({ all: [...all, { ...line, after: tip }], tip: line.key })

/** An earlier release names no version: what it wrote last is shown. */
function shownLast(conversation: Conversation | null, rows: readonly Message[]): string | null {
  const newest = rows.at(-1)
  if (!newest) return null
  const tip = newest.after_id === null ? null : rows.find(({ id }) => id === conversation?.tip_id)
  return (tip ?? newest).id
}

export const isLimit = (error: unknown) => error instanceof ApiError && error.status === 402
