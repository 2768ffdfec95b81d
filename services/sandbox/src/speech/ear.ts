import { FRAME_BYTES, GRANULE_MS } from './frames.ts'
import { commentOf } from './wav.ts'

const sizeIn = (bytes: Uint8Array, at: number) => (bytes[at]! << 21) | (bytes[at + 1]! << 14) | (bytes[at + 2]! << 7) | bytes[at + 3]!

/** The transcript that the stand-in makes of a file: its own words to the letter, and of other sound only how long it lasts. */
export function heard(bytes: Uint8Array): { text: string; logprob: number; seconds: number } | null {
  const buffer = Buffer.from(bytes)
  if (buffer.subarray(0, 3).toString('latin1') === 'ID3' && buffer.subarray(10, 14).toString('latin1') === 'USLT') {
    const length = sizeIn(buffer, 14)
    const seconds = ((buffer.length - 10 - sizeIn(buffer, 6)) / FRAME_BYTES) * ((2 * GRANULE_MS) / 1000)
    return { text: buffer.subarray(20 + 5, 20 + length).toString('utf8'), logprob: -0.04, seconds }
  }
  const spoken = buffer.subarray(0, 4).toString('latin1') === 'RIFF' ? commentOf(buffer) : null
  if (spoken) return { ...spoken, logprob: -0.04 }
  if (!isSound(buffer)) return null
  const seconds = Math.max(0.1, buffer.length / 4000)
  return { text: 'The sandbox cannot hear words.', logprob: -1.9, seconds }
}

const isSound = (bytes: Buffer) => {
  const head = bytes.subarray(0, 12).toString('latin1')
  const isWebm = bytes.length > 4 && bytes.readUInt32BE(0) === 0x1a45dfa3
  const isMpeg = bytes.length > 1 && bytes[0] === 0xff && (bytes[1]! & 0xe0) === 0xe0
  return (
    isWebm ||
    isMpeg ||
    head.startsWith('ID3') ||
    head.startsWith('OggS') ||
    head.startsWith('fLaC') ||
    head.startsWith('RIFF') ||
    head.slice(4, 8) === 'ftyp'
  )
}
