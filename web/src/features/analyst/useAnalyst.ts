import { texts } from '@operon/contracts/messages'
import { useQueryClient } from '@tanstack/react-query'
import { type AnalystReply, type ChatReply, type ChatRequest, streamAnalyst, type Watch } from '../../api/ai.ts'
import { usePlatform } from '../../api/platform.ts'
import type { ChatMessage } from '../../chat/message.ts'
import type { useConversationAddress } from '../../chat/useAddress.ts'
import { useConversation } from '../../chat/useConversation.ts'
import { type TaskType, taskOf } from '../../content/analyst.ts'
import { ANALYST_MODEL } from '../../content/models.ts'
import { appPages } from '../../shell/pages.ts'
import { toast } from '../../ui/toast.tsx'

/** A conversation like the others, asked as one of the six kinds of task. */
export function useAnalyst(address: ReturnType<typeof useConversationAddress>) {
  const { product_name } = usePlatform()
  const queries = useQueryClient()
  const chat = useConversation({
    feature: 'analyst',
    model: ANALYST_MODEL,
    ...address,
    pages: appPages(product_name),
    failedLine: texts.analystTrouble,
    onFailure: (error) => toast.error(texts.error, error.message || texts.failedToSend),
  })

  const ask = (task: TaskType) => async (question: ChatRequest, watch: Watch) => {
    const { message, conversation_id, replace_message_id, after_message_id, stop_id, pages } = question
    const context = { timestamp: new Date().toISOString(), source: 'dashboard' as const }
    const place = { conversation_id, replace_message_id, after_message_id, stop_id, pages }
    const reply = await streamAnalyst({ message, ...place, task_type: task, context }, watch)
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
  }
}

const asChatReply = (reply: AnalystReply): ChatReply => ({
  ...reply,
  content: reply.response,
  model: ANALYST_MODEL,
  answered_by: reply.model_used,
  citations: [],
})
