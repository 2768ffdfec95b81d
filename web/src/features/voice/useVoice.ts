import { RECORDING_MS, type VoiceName } from '@operon/contracts/media/speech'
import { texts } from '@operon/contracts/messages'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { streamAnalyst } from '../../api/ai.ts'
import { call } from '../../api/call.ts'
import { speak, speakByBrowser } from '../../api/speech.ts'
import { plainText } from '../../chat/useSpeechOutput.ts'
import { toast } from '../../ui/toast.tsx'
import { base64Of, MicrophoneError, useRecorder } from './recorder.ts'

export type Stage = 'idle' | 'listening' | 'hearing' | 'thinking'
export type Said = { command: string; confidence: number | null; response: string; sandbox: boolean }
type Settings = { voice: VoiceName; speaks: boolean }

/** One spoken command: recorded, written down, answered and read aloud. */
export function useVoice({ voice, speaks }: Settings) {
  const queries = useQueryClient()
  const recorder = useRecorder()
  const [stage, setStage] = useState<Stage>('idle')
  const [said, setSaid] = useState<Said | null>(null)
  const [speaking, setSpeaking] = useState(false)
  const reading = useRef<AbortController>(undefined)
  useEffect(() => () => reading.current?.abort(), [])

  const beSilent = () => reading.current?.abort()

  async function readAloud(text: string) {
    beSilent()
    const words = plainText(text).trim()
    if (!words) return
    const controller = new AbortController()
    reading.current = controller
    setSpeaking(true)
    try {
      await speak(words, voice, controller.signal)
    } catch {
      if (!controller.signal.aborted) {
        toast.error(texts.textToSpeechFailed, "Your browser's own voice reads instead.")
        await speakByBrowser(words, controller.signal)
      }
    } finally {
      if (reading.current === controller) setSpeaking(false)
    }
  }

  async function listen() {
    if (stage === 'listening') return recorder.stop()
    if (stage !== 'idle') return
    beSilent()
    setStage('listening')
    try {
      const { blob } = await recorder.record(RECORDING_MS)
      setStage('hearing')
      const { text, confidence, sandbox } = await call('voice-to-text', { audio: await base64Of(blob) }).catch((error: Error) => {
        toast.error(texts.speechRecognitionFailed, error.message === texts.speechRecognitionFailed ? undefined : error.message)
        throw new Told()
      })
      if (!text) {
        toast.error(texts.voiceCommandFailed, 'Nothing was heard. Speak a little closer to the microphone.')
        return
      }
      setSaid({ command: text, confidence, response: '', sandbox })
      setStage('thinking')
      const context = { timestamp: new Date().toISOString(), source: 'voice_interface' as const }
      const onText = (response: string) => setSaid({ command: text, confidence, response, sandbox })
      const reply = await streamAnalyst({ message: text, task_type: 'voice_command', context }, { onText }).catch((error: Error) => {
        toast.error(texts.aiProcessingFailed, error.message)
        throw new Told()
      })
      setSaid({ command: text, confidence, response: reply.response, sandbox })
      setStage('idle')
      if (speaks) void readAloud(reply.response)
      await call('keep-voice-command', { command: text, response: reply.response, confidence })
      void queries.invalidateQueries({ queryKey: ['voice-commands'] })
    } catch (error) {
      if (error instanceof MicrophoneError) sayWhy(error)
      else if (!(error instanceof Told)) toast.error(texts.voiceCommandFailed, (error as Error).message)
    } finally {
      setStage('idle')
    }
  }

  return { stage, said, speaking, recorder, listen, readAloud, beSilent }
}

/** Its cause is on the screen already. */
class Told extends Error {}

export function sayWhy({ trouble }: MicrophoneError) {
  if (trouble === 'denied') toast.error(texts.microphoneDenied, texts.microphoneDeniedText)
  else if (trouble === 'missing') toast.error(texts.voiceError, texts.voiceNoMicrophone)
  else toast.error(texts.voiceSetupError, 'This browser cannot record. Chrome, Edge, Firefox and Safari can.')
}
