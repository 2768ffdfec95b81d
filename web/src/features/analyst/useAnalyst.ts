import { texts } from '@operon/contracts/messages'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type AnalystReply,
  type Approval,
  type ChatReply,
  type ChatRequest,
  change,
  listActions,
  listApprovals,
  streamAnalyst,
  type Watch,
} from '../../api/ai.ts'
import type { Action } from '../../chat/ActionCard.tsx'
import type { Evidence } from '../../chat/EvidenceTable.tsx'
import type { ChatMessage } from '../../chat/message.ts'
import type { useConversationAddress } from '../../chat/useAddress.ts'
import { useConversation } from '../../chat/useConversation.ts'
import { type TaskType, taskOf } from '../../content/analyst.ts'
import { ANALYST_MODEL } from '../../content/models.ts'
import { toast } from '../../ui/toast.tsx'

/** A conversation like the others, whose answers may propose actions. */
export function useAnalyst(address: ReturnType<typeof useConversationAddress>) {
  const { conversationId } = address
  const queries = useQueryClient()
  const [proposed, setProposed] = useState<Record<string, Action[]>>({})
  const [looked, setLooked] = useState<Record<string, Looked>>({})
  const chat = useConversation({
    feature: 'analyst',
    model: ANALYST_MODEL,
    ...address,
    failedLine: texts.analystTrouble,
    onFailure: (error) => toast.error(texts.error, error.message || texts.failedToSend),
  })
  const answers = chat.messages.flatMap(({ id, role }) => (id && role === 'assistant' ? [id] : []))
  const stored = useQuery({
    queryKey: ['ai-actions', conversationId, answers.length],
    enabled: answers.length > 0 && !chat.busy,
    placeholderData: (before) => before,
    queryFn: () => listActions(answers),
  })

  const approvals = useQuery({
    queryKey: ['ai-approvals', conversationId, answers.length],
    enabled: answers.length > 0 && !chat.busy,
    placeholderData: (before) => before,
    queryFn: () => listApprovals(answers),
  })

  const ask = (task: TaskType) => async (question: ChatRequest, watch: Watch) => {
    const { message, conversation_id, replace_message_id, after_message_id, stop_id } = question
    const context = { timestamp: new Date().toISOString(), source: 'dashboard' as const }
    const place = { conversation_id, replace_message_id, after_message_id, stop_id }
    const reply = await streamAnalyst({ message, ...place, task_type: task, context }, watch)
    const { message_id, suggested_actions, approval, evidence } = reply
    if (message_id) setProposed((all) => ({ ...all, [message_id]: suggested_actions.map(fresh) }))
    if (message_id) setLooked((all) => ({ ...all, [message_id]: { approvals: approval ? [approval] : [], evidence: evidence ?? [] } }))
    void queries.invalidateQueries({ queryKey: ['activity'] })
    return asChatReply(reply)
  }

  return {
    ...chat,
    say: (text: string, task: TaskType) => chat.send(text, { via: ask(task) }),
    again(message: ChatMessage) {
      const said = chat.messages.slice(0, chat.messages.indexOf(message)).findLast(({ role }) => role === 'user')
      if (said) void chat.regenerate(message, { via: ask(taskOf(said.content)) })
    },
    edit: (message: ChatMessage, text: string) => chat.resend(message, text, { via: ask(taskOf(text)) }),
    /** What the server keeps knows more than what the answer brought: it may have been run or dismissed since. */
    actionsOf(key: string): Action[] {
      const id = chat.messages.find((message) => message.key === key)?.id
      if (!id) return []
      const kept = stored.data?.filter((action) => action.message_id === id)
      return kept?.length ? kept : (proposed[id] ?? [])
    },
    /** What an answer looked up, and the steps it asks approval for. */
    lookedUp(key: string): Looked {
      const message = chat.messages.find((each) => each.key === key)
      const fresh = message?.id ? looked[message.id] : undefined
      const kept = approvals.data?.filter(({ message_id }) => message_id && message_id === message?.id)
      return { evidence: message?.evidence ?? fresh?.evidence ?? [], approvals: kept?.length ? kept : (fresh?.approvals ?? []) }
    },
    async mark(action: Action, state: 'proposed' | 'dismissed') {
      await change('ai_actions', action.id, { state })
      await queries.invalidateQueries({ queryKey: ['ai-actions'] })
    },
  }
}

type Looked = { evidence: Evidence[]; approvals: Approval[] }

const fresh = (action: AnalystReply['suggested_actions'][number]): Action => ({ ...action, state: 'proposed', result: null, link: null })
const asChatReply = (reply: AnalystReply): ChatReply => ({
  ...reply,
  content: reply.response,
  model: ANALYST_MODEL,
  answered_by: reply.model_used,
  citations: [],
})
