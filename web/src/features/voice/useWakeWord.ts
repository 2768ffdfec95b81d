import type { WakeWord } from '@operon/contracts/media/speech'
import { useEffect, useRef, useState } from 'react'
import { type MicrophoneError, openMicrophone } from './recorder.ts'
import tapUrl from './tap.worklet.ts?worker&url'
import type { FromWake, ToWake } from './wake.worker.ts'

export type Wake = 'off' | 'loading' | 'listening' | 'failed'
type Options = {
  on: boolean
  /** The microphone is busy with something else, or the page is speaking. */
  paused: boolean
  word: WakeWord
  sensitivity: number
  onHeard: () => void
  onTrouble: (error: MicrophoneError) => void
}

/** Listens for the wake word in this browser. Nothing that is heard leaves it: the recording for the server begins after the match. */
export function useWakeWord({ on, paused, word, sensitivity, onHeard, onTrouble }: Options): Wake {
  const [state, setState] = useState<Wake>('off')
  const worker = useRef<Worker>(undefined)
  const heard = useRef(onHeard)
  const trouble = useRef(onTrouble)
  heard.current = onHeard
  trouble.current = onTrouble

  useEffect(() => {
    if (!on) return setState('off')
    setState('loading')
    const own = new Worker(new URL('./wake.worker.ts', import.meta.url), { type: 'module' })
    own.onmessage = ({ data }: MessageEvent<FromWake>) => {
      if (data === 'heard') heard.current()
      else setState(data === 'ready' ? 'listening' : 'failed')
    }
    own.onerror = () => setState('failed')
    worker.current = own
    return () => own.terminate()
  }, [on])

  useEffect(() => {
    if (on) worker.current?.postMessage({ word, sensitivity } satisfies ToWake)
  }, [on, word, sensitivity])

  useEffect(() => {
    if (!on || paused) return
    let over = false
    const close = openTap((sound, rate) => {
      if (!over) worker.current?.postMessage({ sound, rate } satisfies ToWake, [sound.buffer as ArrayBuffer])
    })
    close.catch((error: MicrophoneError) => over || trouble.current(error))
    return () => {
      over = true
      void close.then((end) => end()).catch(() => {})
    }
  }, [on, paused])
  return state
}

async function openTap(onSound: (sound: Float32Array, rate: number) => void): Promise<() => void> {
  const stream = await openMicrophone()
  const context = new AudioContext()
  const end = () => {
    for (const track of stream.getTracks()) track.stop()
    void context.close()
  }
  try {
    await context.audioWorklet.addModule(tapUrl)
    const tap = new AudioWorkletNode(context, 'tap', { numberOfOutputs: 0 })
    tap.port.onmessage = ({ data }: MessageEvent<Float32Array>) => onSound(data, context.sampleRate)
    context.createMediaStreamSource(stream).connect(tap)
    return end
  } catch (error) {
    end()
    throw error
  }
}
