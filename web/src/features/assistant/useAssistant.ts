import { texts } from '@operon/contracts/messages'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { ownLine } from '../../chat/message.ts'
import { useConversation } from '../../chat/useConversation.ts'
import { useSpeechOutput } from '../../chat/useSpeechOutput.ts'
import { greetingFor } from '../../content/assistant.ts'
import { WRITING_MODEL } from '../../content/models.ts'
import { paths } from '../../paths.ts'
import { appPages } from '../../shell/pages.ts'
import { toast } from '../../ui/toast.tsx'

/** The assistant: answers, speaks, does what it can and leads to pages. */
export function useAssistant(product: string, open: boolean) {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const [conversationId, setConversationId] = useState<string | null>(null)
  const speech = useSpeechOutput()
  const { stop: beSilent } = speech
  const chat = useConversation({
    feature: 'assistant',
    model: WRITING_MODEL,
    pages: appPages(product),
    conversationId,
    onConversation: (id) => setConversationId(id),
    failedLine: texts.assistantTrouble,
    emptyLine: texts.assistantEmpty,
    onFailure: () => toast.error(`${texts.failedToGetResponseFrom} ${product}`),
  })
  // The page at the moment of opening decides the greeting; moving on does not rewrite it.
  const [greeting, setGreeting] = useState(() => ownLine(greetingFor(pathname, product)))
  const greeted = useRef(pathname)
  const shown = useRef(open)
  shown.current = open

  // biome-ignore lint/correctness/useExhaustiveDependencies: it greets when it is opened, not when the page changes
  useEffect(() => {
    if (!open) return beSilent()
    if (greeted.current === pathname || chat.busy) return
    greeted.current = pathname
    const line = ownLine(greetingFor(pathname, product))
    if (chat.messages.length === 0) setGreeting(line)
    else chat.add(line)
  }, [open])

  const speak = (text: string) => shown.current && speech.speak(text)

  async function say(text: string) {
    speech.stop()
    const reply = await chat.send(text)
    if (reply) speak(reply.response || texts.assistantEmpty)
  }

  return {
    chat: { ...chat, messages: [greeting, ...chat.messages] },
    say,
    speech,
    conversationId,
    startNew: () => chat.open(null),
    openPage: () => navigate(`${paths.assistant}?c=${conversationId}`),
  }
}
