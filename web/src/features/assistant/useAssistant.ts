import { texts } from '@operon/contracts/messages'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { ownLine } from '../../chat/message.ts'
import { type SendOptions, useConversation } from '../../chat/useConversation.ts'
import { useSpeechOutput } from '../../chat/useSpeechOutput.ts'
import {
  type Destination,
  destinationOf,
  emailAbsent,
  greetingFor,
  notAvailable,
  notionAbsent,
  onTheWay,
  triggerOf,
} from '../../content/assistant.ts'
import { WRITING_MODEL } from '../../content/models.ts'
import { paths } from '../../paths.ts'
import { toast } from '../../ui/toast.tsx'
import { isBuilt } from './isBuilt.ts'

const NAVIGATE_AFTER_MS = 1000
const absent = {
  meta: texts.metaUnavailable,
  voice: texts.voiceAgentFailed,
  image: texts.assistantImageFailed,
  email: emailAbsent,
  notion: notionAbsent,
}

/** The assistant: answers, speaks, leads to pages, and says plainly what it cannot do yet. */
export function useAssistant(product: string) {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const [conversationId, setConversationId] = useState<string | null>(null)
  const speech = useSpeechOutput()
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined)
  const chat = useConversation({
    feature: 'assistant',
    model: WRITING_MODEL,
    conversationId,
    onConversation: (id) => setConversationId(id),
    failedLine: texts.assistantTrouble,
    emptyLine: texts.assistantEmpty,
    onFailure: () => toast.error(`${texts.failedToGetResponseFrom} ${product}`),
  })
  // The page at the moment of opening decides the greeting; moving on does not rewrite it.
  const [greeting] = useState(() => ownLine(greetingFor(pathname, product)))
  useEffect(() => () => clearTimeout(leaving.current), [])

  function lead({ path, name }: Destination) {
    const built = isBuilt(path)
    const line = built ? onTheWay(name) : notAvailable(name)
    chat.add(ownLine(line))
    if (built) leaving.current = setTimeout(() => navigate(path), NAVIGATE_AFTER_MS)
    return line
  }

  async function say(text: string) {
    speech.stop()
    const destination = destinationOf(text)
    const trigger = triggerOf(text)
    if (trigger?.kind === 'absent' && !destination) {
      const line = absent[trigger.says]
      chat.add(ownLine(text, 'user'), ownLine(line))
      return speech.speak(line)
    }
    if (destination && !trigger) {
      chat.add(ownLine(text, 'user'))
      return speech.speak(lead(destination))
    }
    const reply = await chat.send(text, sendAs(trigger?.kind, product))
    if (!reply) return
    speech.speak(reply.response || texts.assistantEmpty)
    if (destination) lead(destination)
  }

  const openPage = () => navigate(`${paths.assistant}?c=${conversationId}`)

  return { chat: { ...chat, messages: [greeting, ...chat.messages] }, say, speech, conversationId, openPage }
}

function sendAs(kind: 'names' | 'research' | 'absent' | undefined, product: string): SendOptions {
  const system = `You are ${product}, the assistant of a platform for small businesses. Answer briefly, in plain words. You cannot send, publish, book or buy anything; never say that you did.`
  if (kind === 'names') return { system: `${system} Suggest exactly five business names, numbered, each with a reason of a few words.` }
  if (kind === 'research') return { system, model: 'perplexity' }
  return { system }
}
