import { texts } from '@operon/contracts/messages'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type AnalystReply, aiCall, listActions, listMessages, type ProposedAction } from '../../api/ai.ts'
import { ApiError } from '../../api/http.ts'
import { type TaskType, taskOf } from '../../content/analyst.ts'
import { type ChatMessage, fromRow, ownLine } from '../../ui/chat/message.ts'
import { toast } from '../../ui/toast.tsx'

export type Action = Pick<ProposedAction, 'id' | 'kind' | 'title' | 'description' | 'input' | 'prompts' | 'state' | 'result' | 'link'>
const lines = { failed: texts.analystTrouble, empty: texts.noResponse }

/** The analyst answers whole, not word by word: it may propose actions, which are checked before anybody sees them. */
export function useAnalyst(conversationId: string | null, onConversation: (id: string | null) => void) {
  const queries = useQueryClient()
  const [messages, setMessages] = useState<ChatMessage[]>([])
  const [loading, setLoading] = useState<'done' | 'loading' | Error>(conversationId ? 'loading' : 'done')
  const [busy, setBusy] = useState(false)
  const [proposed, setProposed] = useState<Record<string, Action[]>>({})
  const known = useRef<string | null>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another address opens another conversation
  useEffect(() => {
    if (conversationId === known.current) return
    known.current = conversationId
    setMessages([])
    setBusy(false)
    setLoading(conversationId ? 'loading' : 'done')
    if (conversationId) void load(conversationId)
  }, [conversationId])

  async function load(id: string) {
    setLoading('loading')
    try {
      const rows = await listMessages(id)
      if (known.current !== id) return
      setMessages(rows.map((row) => fromRow(row, lines)))
      setLoading('done')
    } catch (error) {
      if (known.current === id) setLoading(error as Error)
    }
  }

  // An answer that was on its way when the page was left is looked for until it is there.
  const unfinished = !busy && messages.some(({ state }) => state === 'streaming')
  useQuery({
    queryKey: ['analyst-unfinished', conversationId],
    enabled: unfinished && conversationId !== null,
    refetchInterval: 1500,
    queryFn: async () => {
      const rows = await listMessages(conversationId!)
      if (known.current === conversationId) setMessages(rows.map((row) => fromRow(row, lines)))
      return rows.length
    },
  })
  const stored = useQuery({
    queryKey: ['ai-actions', conversationId, messages.length],
    enabled: messages.some(({ id }) => id !== null),
    queryFn: () => listActions(messages.flatMap(({ id, role }) => (id && role === 'assistant' ? [id] : []))),
  })

  async function exchange(text: string, task: TaskType, kept: ChatMessage[]) {
    const said = ownLine(text, 'user')
    const answer: ChatMessage = { ...ownLine(''), state: 'streaming' }
    const patch = (changes: Partial<ChatMessage>) =>
      setMessages((all) => all.map((message) => (message.key === answer.key ? { ...message, ...changes } : message)))
    const begun = known.current
    setMessages([...kept, said, answer])
    setBusy(true)
    try {
      const reply = await aiCall<AnalystReply>('ai-orchestrator', {
        message: text,
        task_type: task,
        context: { timestamp: new Date().toISOString(), source: 'dashboard' },
        conversation_id: begun ?? 'new',
      })
      if (known.current !== begun) return
      const { message_id, suggested_actions } = reply
      if (message_id) setProposed((all) => ({ ...all, [message_id]: suggested_actions.map(fresh) }))
      patch({
        id: message_id,
        content: reply.response || texts.noResponse,
        state: 'complete',
        answeredBy: reply.model_used,
        sandbox: reply.sandbox,
        usage: reply.usage,
      })
      known.current = reply.conversation_id
      if (reply.conversation_id !== begun) onConversation(reply.conversation_id)
    } catch (error) {
      if (known.current !== begun) return
      const { message = texts.failedToSend } = error as Error
      const cut = error instanceof ApiError && error.code === 'answer_cut' ? (error.details?.content as string | undefined) : undefined
      patch(cut ? { content: cut, state: 'cut', problem: message } : { content: texts.analystTrouble, state: 'failed', problem: message })
      toast.error(texts.error, message || texts.failedToSend)
    } finally {
      if (known.current === begun || known.current !== null) setBusy(false)
      for (const key of ['ai-conversations', 'activity', 'ai-usage']) void queries.invalidateQueries({ queryKey: [key] })
    }
  }

  return {
    messages,
    loading,
    busy: busy || unfinished,
    reload: () => conversationId && load(conversationId),
    open(id: string | null) {
      if (id !== known.current || id) return onConversation(id)
      setMessages([])
    },
    send(text: string, task: TaskType) {
      if (!busy && text.trim()) void exchange(text.trim(), task, messages)
    },
    again(message: ChatMessage) {
      const said = messages.slice(0, messages.indexOf(message)).findLast(({ role }) => role === 'user')
      if (said && !busy) void exchange(said.content, taskOf(said.content), messages.slice(0, messages.indexOf(said)))
    },
    actionsOf(key: string): Action[] {
      const id = messages.find((message) => message.key === key)?.id
      if (!id) return []
      return proposed[id] ?? stored.data?.filter((action) => action.message_id === id) ?? []
    },
  }
}

const fresh = (action: AnalystReply['suggested_actions'][number]): Action => ({ ...action, state: 'proposed', result: null, link: null })
