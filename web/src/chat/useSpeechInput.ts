import { texts } from '@operon/contracts/messages'
import { useEffect, useRef, useState } from 'react'
import { toast } from '../ui/toast.tsx'

type Recognition = EventTarget & {
  lang: string
  continuous: boolean
  interimResults: boolean
  start(): void
  abort(): void
  onresult: ((event: { results: ArrayLike<ArrayLike<{ transcript: string }>> }) => void) | null
  onerror: ((event: { error: string }) => void) | null
  onend: (() => void) | null
}
type Speaking = { SpeechRecognition?: new () => Recognition; webkitSpeechRecognition?: new () => Recognition }

/** Says what the person can do, where the browser says more than that it failed. */
const reasons: Record<string, string> = {
  'not-allowed': 'Allow the microphone for this page in the browser, then press again.',
  'service-not-allowed': 'Allow the microphone for this page in the browser, then press again.',
  'audio-capture': 'No microphone was found.',
  'no-speech': 'Nothing was heard.',
  network: 'The browser could not reach its speech service.',
}

/** Listens for one utterance in en-US and hands over what it understood. */
export function useSpeechInput(onText: (text: string) => void) {
  const [listening, setListening] = useState(false)
  const recognition = useRef<Recognition>(undefined)
  const heard = useRef(onText)
  heard.current = onText
  useEffect(() => () => recognition.current?.abort(), [])

  function toggle() {
    if (listening) return recognition.current?.abort()
    const { SpeechRecognition, webkitSpeechRecognition } = window as Speaking
    const Recognizer = SpeechRecognition ?? webkitSpeechRecognition
    if (!Recognizer) return void toast.error(texts.speechUnsupported, 'Type your message instead.')
    const next = new Recognizer()
    next.lang = 'en-US'
    next.continuous = false
    next.interimResults = false
    next.onresult = ({ results }) => heard.current(results[0]?.[0]?.transcript ?? '')
    next.onerror = ({ error }) => {
      // Ending it by hand is no error.
      if (error !== 'aborted') toast.error(texts.speechError, reasons[error])
    }
    next.onend = () => setListening(false)
    recognition.current = next
    try {
      next.start()
      setListening(true)
    } catch {
      toast.error(texts.speechError)
    }
  }

  return { listening, toggle }
}
