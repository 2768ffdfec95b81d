import { texts } from '@operon/contracts/messages'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { ownLine } from '../../chat/message.ts'
import { type SendOptions, useConversation } from '../../chat/useConversation.ts'
import { useSpeechOutput } from '../../chat/useSpeechOutput.ts'
import { absent, type Destination, greetingFor, notAvailable, onTheWay, stayedHere, wentElsewhere } from '../../content/assistant.ts'
import { WRITING_MODEL } from '../../content/models.ts'
import { paths } from '../../paths.ts'
import { toast } from '../../ui/toast.tsx'
import { isBuilt } from './isBuilt.ts'
import { requestsIn, type Tool } from './requests.ts'

const NAVIGATE_AFTER_MS = 1000

/** The assistant: answers, speaks, leads to pages, and says plainly what it cannot do yet. */
export function useAssistant(product: string, open: boolean) {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const [conversationId, setConversationId] = useState<string | null>(null)
  const [leaving, setLeaving] = useState<Destination | null>(null)
  const speech = useSpeechOutput()
  const { stop: beSilent } = speech
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
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
  useEffect(() => () => clearTimeout(timer.current), [])
  // A person who opens a page meanwhile stays there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another page is looked at
  useEffect(() => {
    if (leaving && pathname !== leaving.path) stay(wentElsewhere(leaving.name))
  }, [pathname])

  function lead(to: Destination) {
    const built = isBuilt(to.path)
    const line = built ? onTheWay(to.name) : notAvailable(to.name)
    chat.add(ownLine(line))
    if (!built) return line
    setLeaving(to)
    timer.current = setTimeout(() => {
      setLeaving(null)
      navigate(to.path)
    }, NAVIGATE_AFTER_MS)
    return line
  }
  function stay(line = stayedHere) {
    if (!leaving) return
    clearTimeout(timer.current)
    setLeaving(null)
    chat.add(ownLine(line))
  }
  const speak = (text: string) => shown.current && speech.speak(text)

  async function say(text: string) {
    speech.stop()
    stay()
    const { destination, tool, asks } = requestsIn(text)
    const undone = tool && tool in absent ? absent[tool as keyof typeof absent] : null
    if (!asks && (undone || (destination && !tool))) {
      chat.add(ownLine(text, 'user'))
      if (undone) chat.add(ownLine(undone))
      const line = destination ? lead(destination) : ''
      return speak([undone, line].filter(Boolean).join(' '))
    }
    const reply = await chat.send(text, sendAs(tool, product))
    if (!reply) return
    if (undone) chat.add(ownLine(undone))
    speak(reply.response || texts.assistantEmpty)
    if (destination) lead(destination)
  }

  return {
    chat: { ...chat, messages: [greeting, ...chat.messages] },
    say,
    speech,
    leaving,
    stay: () => stay(),
    conversationId,
    startNew: () => chat.open(null),
    openPage: () => navigate(`${paths.assistant}?c=${conversationId}`),
  }
}

function sendAs(tool: Tool | null, product: string): SendOptions {
  const system = `You are ${product}, the assistant of a platform for small businesses. Answer briefly, in plain words. You cannot open pages, send, publish, book, buy, create images or voice agents, or read Notion or Meta Ads: never say that you did or tried. The app does what it can by itself and says so; answer the rest.`
  if (tool === 'names') return { system: `${system} Suggest exactly five business names, numbered, each with a reason of a few words.` }
  if (tool === 'research') return { system, model: 'perplexity' }
  return { system }
}
