import { useEffect, useState } from 'react'

/** Reads answers aloud; on from the start. */
export function useSpeechOutput() {
  const [on, setOn] = useState(true)
  const [speaking, setSpeaking] = useState(false)
  const synthesis = 'speechSynthesis' in window ? window.speechSynthesis : undefined
  useEffect(() => () => synthesis?.cancel(), [synthesis])

  function stop() {
    synthesis?.cancel()
    setSpeaking(false)
  }
  function speak(text: string) {
    if (!on || !synthesis || !text) return
    synthesis.cancel()
    const utterance = new SpeechSynthesisUtterance(plainText(text))
    utterance.lang = 'en-US'
    utterance.pitch = 1.1
    utterance.rate = 0.9
    utterance.volume = 0.8
    utterance.voice = preferred(synthesis.getVoices()) ?? null
    utterance.onstart = () => setSpeaking(true)
    utterance.onend = () => setSpeaking(false)
    utterance.onerror = () => setSpeaking(false)
    synthesis.speak(utterance)
  }
  function toggle() {
    if (on) stop()
    setOn(!on)
  }
  return { on, toggle, speaking, speak, stop }
}

function preferred(voices: SpeechSynthesisVoice[]) {
  return voices.find((voice) => /female/i.test(voice.name)) ?? voices.find((voice) => voice.lang === 'en-US')
}

/** Marks of form are not read out. */
export function plainText(markdown: string) {
  return markdown
    .replace(/```[\s\S]*?```/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_#>`|~]/g, '')
}
