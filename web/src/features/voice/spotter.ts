import { DEFAULT_SENSITIVITY, type WakeWord } from '@operon/contracts/media/speech'
import type { Decoder, Endpointer, SoundSwallowerModule } from 'soundswallower'

export const SPOTTER_RATE = 16_000
/** Longer than any wake word with a breath around it: what goes on for longer is a conversation and is not looked at. */
const LONGEST_MS = 2_500
/** Sounds beside the word that still count as a breath or a room, at the highest sensitivity; at none the word stands alone. */
const MOST_BESIDE = 8
/** Beyond the usual sensitivity each 0.1 makes the word a hundred times likelier. */
const STEPS_PER_UNIT = 20

// In the phones of the CMU dictionary.
const pronounced: Record<WakeWord, string[]> = {
  'Hey Jarvis': ['HH EY JH AA R V IH S', 'HH EY JH AA R V AH S'],
  'Hey Assistant': ['HH EY AH S IH S T AH N T'],
  Computer: ['K AH M P Y UW T ER'],
  AI: ['EY AY', 'EY Y AY'],
}
const phones = 'AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH'.split(' ')
const WORD = 'wakeword'
const soundOf = (phone: string) => `sound${phone}`

/**
 * Finds one word in a stream of sound. Whatever is said between two pauses is held against the word on one side and against any sequence
 * of phones on the other, by an acoustic model that runs in this process: nothing is sent anywhere.
 */
export class Spotter {
  readonly #decoder: Decoder
  readonly #endpointer: Endpointer
  readonly #frame: number
  #rest = new Float32Array(0)
  #said: Float32Array[] = []
  #mostBeside = 0

  private constructor(decoder: Decoder, endpointer: Endpointer) {
    this.#decoder = decoder
    this.#endpointer = endpointer
    this.#frame = endpointer.get_frame_size()
  }

  static async load(module: SoundSwallowerModule, model: Record<string, string>): Promise<Spotter> {
    const decoder = new module.Decoder({ loglevel: 'FATAL', samprate: SPOTTER_RATE, ...model })
    await decoder.initialize()
    const words = Object.entries(pronounced).flatMap(([word, all]) =>
      all.map((phones, at): [string, string] => [nameOf(word as WakeWord) + (at ? `(${at + 1})` : ''), phones]),
    )
    decoder.add_words(...phones.map((phone): [string, string] => [soundOf(phone), phone]), ...words)
    return new Spotter(decoder, new module.Endpointer({ samprate: SPOTTER_RATE }))
  }

  lookFor(word: WakeWord, sensitivity: number): void {
    const likelier = 10 ** (STEPS_PER_UNIT * Math.max(0, sensitivity - DEFAULT_SENSITIVITY))
    this.#decoder.set_grammar(
      `#JSGF V1.0;\ngrammar wake;\npublic <said> = <part>+;\n<part> = /${likelier}/ ${nameOf(word)} | /1/ <sound>;\n<sound> = ${phones.map(soundOf).join(' | ')};\n`,
    )
    this.#mostBeside = Math.round(MOST_BESIDE * sensitivity)
    this.#said = []
  }

  /** Whether the word ended in this piece. */
  hear(piece: Float32Array): boolean {
    const samples = joined([this.#rest, piece])
    let found = false
    let at = 0
    for (; at + this.#frame <= samples.length; at += this.#frame) {
      const speech = this.#endpointer.process(samples.subarray(at, at + this.#frame))
      if (speech) this.#said.push(speech)
      if (!this.#endpointer.get_in_speech() && this.#said.length) found = this.#isWord() || found
    }
    this.#rest = samples.slice(at)
    return found
  }

  #isWord(): boolean {
    const said = joined(this.#said)
    this.#said = []
    if (said.length > (LONGEST_MS / 1000) * SPOTTER_RATE) return false
    this.#decoder.start()
    this.#decoder.process_audio(said, false, true)
    this.#decoder.stop()
    const parts = this.#decoder.get_text().split(' ')
    return parts.some((part) => part.startsWith(WORD)) && parts.length <= this.#mostBeside + 1
  }
}

const nameOf = (word: WakeWord) => `${WORD}${word.replace(/\W/g, '').toLowerCase()}`

function joined(parts: Float32Array[]): Float32Array<ArrayBuffer> {
  const whole = new Float32Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** To the rate of the model, by the mean of what falls together, which keeps what is too high from sounding lower. */
export function resampled(samples: Float32Array, from: number): Float32Array {
  const step = from / SPOTTER_RATE
  const out = new Float32Array(Math.floor(samples.length / step))
  for (let n = 0; n < out.length; n++) {
    const begin = Math.floor(n * step)
    const end = Math.max(begin + 1, Math.floor((n + 1) * step))
    let sum = 0
    for (let at = begin; at < end; at++) sum += samples[at]!
    out[n] = sum / (end - begin)
  }
  return out
}
