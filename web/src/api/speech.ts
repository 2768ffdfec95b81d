import { BROWSER_SPEECH_RATE, LONGEST_SPEECH, type VoiceName } from '@operon/contracts/media/speech'
import { readJson } from './http.ts'
import { loadBackend } from './session.ts'

const TYPE = 'audio/mpeg'

/** Reads a text aloud in one of the six voices, from the first sound on. Resolves when it has been heard to its end, or was stopped. */
export async function speak(text: string, voice: VoiceName, signal: AbortSignal): Promise<void> {
  const { authed } = await loadBackend()
  const response = await authed('/ai/v1/audio/speech', {
    method: 'POST',
    body: JSON.stringify({ model: 'tts-1', voice, input: text.slice(0, LONGEST_SPEECH) }),
    signal,
  })
  if (!response.ok) await readJson(response)
  const audio = new Audio()
  const streams = 'MediaSource' in window && MediaSource.isTypeSupported(TYPE)
  const url = streams ? URL.createObjectURL(sourceOf(response, signal)) : URL.createObjectURL(await response.blob())
  audio.src = url
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      audio.onended = () => resolve()
      audio.onerror = () => reject(audio.error ?? new Error('The recording could not be played.'))
      audio.play().catch(reject)
    })
  } finally {
    audio.pause()
    // The player lets go of the sound first: one that still reads an address that is gone reports a missing file.
    audio.onerror = null
    audio.removeAttribute('src')
    audio.load()
    URL.revokeObjectURL(url)
  }
}

/** Feeds the player as the sound arrives. */
function sourceOf(response: Response, signal: AbortSignal): MediaSource {
  const source = new MediaSource()
  source.onsourceopen = async () => {
    const buffer = source.addSourceBuffer(TYPE)
    const reader = response.body!.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done || signal.aborted) break
        buffer.appendBuffer(value as never)
        await new Promise((resolve, reject) => {
          buffer.onupdateend = resolve
          buffer.onerror = reject
        })
      }
      if (source.readyState === 'open') source.endOfStream()
    } catch {
      if (source.readyState === 'open') source.endOfStream('network')
    }
  }
  return source
}

/** The browser's own voice, where ours cannot be reached. */
export function speakByBrowser(text: string, signal: AbortSignal): Promise<void> {
  if (!('speechSynthesis' in window)) return Promise.resolve()
  return new Promise((resolve) => {
    const utterance = Object.assign(new SpeechSynthesisUtterance(text), { lang: 'en-US', rate: BROWSER_SPEECH_RATE })
    utterance.onend = () => resolve()
    utterance.onerror = () => resolve()
    signal.addEventListener('abort', () => {
      speechSynthesis.cancel()
      resolve()
    })
    speechSynthesis.cancel()
    speechSynthesis.speak(utterance)
  })
}
