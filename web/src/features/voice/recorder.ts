import { useEffect, useRef, useState } from 'react'

const RATE = 16_000
const TYPES = ['audio/webm;codecs=opus', 'audio/webm', 'audio/mp4']
const LOOK_MS = 80

export type Trouble = 'denied' | 'missing' | 'unsupported'
export class MicrophoneError extends Error {
  readonly trouble: Trouble
  constructor(trouble: Trouble) {
    super(trouble)
    this.trouble = trouble
  }
}

export function openMicrophone(): Promise<MediaStream> {
  if (!navigator.mediaDevices || !('MediaRecorder' in window)) return Promise.reject(new MicrophoneError('unsupported'))
  return navigator.mediaDevices.getUserMedia({ audio: { sampleRate: RATE, channelCount: 1 } }).catch((error: DOMException) => {
    throw new MicrophoneError(error.name === 'NotAllowedError' || error.name === 'SecurityError' ? 'denied' : 'missing')
  })
}

/** The microphone for one recording: `level` from 0 to 255 and `seconds` while it runs. It stops by itself. */
export function useRecorder() {
  const [recording, setRecording] = useState(false)
  const [level, setLevel] = useState(0)
  const [seconds, setSeconds] = useState(0)
  const stopping = useRef<() => void>(undefined)
  useEffect(() => () => stopping.current?.(), [])

  /** Resolves with the recording and its loudest moment; throws a MicrophoneError where there is none. */
  async function record(mostMs: number): Promise<{ blob: Blob; loudest: number }> {
    const stream = await openMicrophone()
    const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type))
    const recorder = new MediaRecorder(stream, { ...(mimeType && { mimeType }), audioBitsPerSecond: 32_000 })
    const context = new AudioContext()
    const analyser = context.createAnalyser()
    context.createMediaStreamSource(stream).connect(analyser)
    const bins = new Uint8Array(analyser.frequencyBinCount)
    const parts: Blob[] = []
    let loudest = 0
    const began = performance.now()
    const looking = setInterval(() => {
      analyser.getByteFrequencyData(bins)
      const now = Math.max(...bins)
      loudest = Math.max(loudest, now)
      setLevel(now)
      setSeconds(Math.floor((performance.now() - began) / 1000))
    }, LOOK_MS)
    const ended = new Promise<void>((resolve) => {
      recorder.onstop = () => resolve()
    })
    recorder.ondataavailable = ({ data }) => void parts.push(data)
    const stop = () => recorder.state !== 'inactive' && recorder.stop()
    stopping.current = stop
    const timer = setTimeout(stop, mostMs)
    recorder.start()
    setRecording(true)
    setSeconds(0)
    await ended
    clearTimeout(timer)
    clearInterval(looking)
    for (const track of stream.getTracks()) track.stop()
    void context.close()
    setRecording(false)
    setLevel(0)
    return { blob: new Blob(parts, { type: recorder.mimeType }), loudest }
  }

  return { recording, level, seconds, record, stop: () => stopping.current?.() }
}

export async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(text)
}
