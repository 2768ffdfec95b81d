import { useEffect, useRef, useState } from 'react'
import { toast } from '../ui/toast.tsx'

const KEPT = 'operon-speech'
const voice = { lang: 'en-US', pitch: 1.1, rate: 0.9, volume: 0.8 }

/** Reads answers aloud; on from the start, and as the person left it. */
export function useSpeechOutput() {
  const synthesis = 'speechSynthesis' in window ? window.speechSynthesis : undefined
  const [on, setOn] = useState(() => Boolean(synthesis) && localStorage.getItem(KEPT) !== 'off')
  const [speaking, setSpeaking] = useState(false)
  // A cancelled reading reports its end late: only the newest reading is listened to.
  const reading = useRef(0)
  useEffect(() => {
    // Chromium begins to look for its voices when it is first asked for them.
    synthesis?.getVoices()
    return () => synthesis?.cancel()
  }, [synthesis])

  function stop() {
    reading.current++
    synthesis?.cancel()
    setSpeaking(false)
  }
  function speak(text: string) {
    const parts = on && synthesis ? breaths(plainText(text)) : []
    if (!synthesis || parts.length === 0) return
    synthesis.cancel()
    const mine = ++reading.current
    const say = (now: boolean) => mine === reading.current && setSpeaking(now)
    const preferred = preferredOf(synthesis.getVoices())
    for (const [index, part] of parts.entries()) {
      const utterance = Object.assign(new SpeechSynthesisUtterance(part), voice, { voice: preferred })
      utterance.onstart = () => say(true)
      utterance.onend = () => index === parts.length - 1 && say(false)
      utterance.onerror = () => say(false)
      synthesis.speak(utterance)
    }
  }
  function toggle() {
    if (!synthesis) return void toast.info('This browser cannot read aloud', 'Answers are shown as text.')
    if (on) stop()
    localStorage.setItem(KEPT, on ? 'off' : 'on')
    setOn(!on)
  }
  return { on, toggle, speaking, speak, stop }
}

const preferredOf = (voices: SpeechSynthesisVoice[]) =>
  voices.find(({ name, lang }) => /female/i.test(name) && lang.startsWith('en')) ?? voices.find(({ lang }) => lang === 'en-US') ?? null

const BREATH = 220

/** Whole sentences, a few at a time: Chromium falls silent in the middle of an utterance that takes longer than fifteen seconds. */
export function breaths(text: string): string[] {
  const parts: string[] = []
  for (const sentence of text.match(/[^.!?\n]+[.!?]*\s*/g) ?? []) {
    const last = parts.at(-1)
    if (last !== undefined && last.length + sentence.length <= BREATH) parts[parts.length - 1] = last + sentence
    else parts.push(sentence)
  }
  return parts.map((part) => part.trim()).filter(Boolean)
}

/** Marks of form are not read out. */
export function plainText(markdown: string) {
  return markdown
    .replace(/```[\s\S]*?(```|$)/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*\|?[\s:|-]+\|?\s*$/gm, ' ')
    .replace(/\|/g, ', ')
    .replace(/[*_#>`~]/g, '')
}
