import { GRANULE_MS } from './frames.ts'
import { speech, type Voice } from './voice.ts'

const RATE = 24_000
const LINE_HZ = 24_000 / 576
const SAMPLES = (RATE * GRANULE_MS) / 1000

/** The same robot as samples of 16 bits at 24 kHz. */
export function pcm(text: string, voice: Voice, speed = 1): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const { partials, gain } of speech(text, voice, speed)) {
    const part = Buffer.alloc(SAMPLES * 2)
    const loud = 1_060_000 * 2 ** ((gain - 230) / 4)
    for (let n = 0; n < SAMPLES; n++) {
      let sum = 0
      for (const [line, sign] of partials) sum += sign * Math.sin((2 * Math.PI * (line + 0.5) * LINE_HZ * (at + n)) / RATE)
      part.writeInt16LE(Math.max(-32_000, Math.min(32_000, Math.round(sum * loud * Math.sin((Math.PI * (n + 0.5)) / SAMPLES)))), n * 2)
    }
    at += SAMPLES
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** RIFF with the text as its comment, where the stand-in's ear finds it. */
export function wav(text: string, voice: Voice, speed = 1): Buffer {
  const words = Buffer.from(`${text}\0${Buffer.byteLength(text) % 2 ? '' : '\0'}`)
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(RATE, 4)
  format.writeUInt32LE(RATE * 2, 8)
  format.writeUInt16LE(2, 12)
  format.writeUInt16LE(16, 14)
  const info = Buffer.concat([Buffer.from('INFO'), chunk('ICMT', words)])
  const body = Buffer.concat([Buffer.from('WAVE'), chunk('fmt ', format), chunk('LIST', info), chunk('data', pcm(text, voice, speed))])
  return chunk('RIFF', body)
}

function chunk(name: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body])
}

export function commentOf(bytes: Buffer): { text: string; seconds: number } | null {
  const at = bytes.subarray(0, 256).indexOf('LIST', 0, 'latin1')
  if (at < 0 || bytes.subarray(at + 12, at + 16).toString('latin1') !== 'ICMT') return null
  const length = bytes.readUInt32LE(at + 16)
  return {
    text: bytes
      .subarray(at + 20, at + 20 + length)
      .toString('utf8')
      .replace(/\0+$/, ''),
    seconds: bytes.length / (RATE * 2),
  }
}
