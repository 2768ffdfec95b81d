import { DomainError } from '@operon/kit/errors'

const MOST_BYTES = 24 * 1024 * 1024

/** A recording on its way: whoever listens hears it from its beginning, and it is made to its end when nobody does any more. */
export class Sound {
  readonly #chunks: Uint8Array[] = []
  #bytes = 0
  #ended: { error?: unknown } | null = null
  /** It was ended by its size, and not by the provider. */
  isTooLong = false
  #wake: (() => void)[] = []

  push(chunk: Uint8Array) {
    this.#bytes += chunk.length
    this.isTooLong = this.#bytes > MOST_BYTES
    if (this.isTooLong) throw new DomainError('speech_failed', { cause: new Error('a recording without an end') })
    this.#chunks.push(chunk)
    this.#tell()
  }

  end(error?: unknown) {
    this.#ended = { error }
    this.#tell()
  }

  get whole(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; ) {
      while (at < this.#chunks.length) yield this.#chunks[at++]!
      if (this.#ended) {
        if (this.#ended.error) throw this.#ended.error
        return
      }
      await new Promise<void>((resolve) => void this.#wake.push(resolve))
    }
  }

  #tell() {
    const waking = this.#wake
    this.#wake = []
    for (const wake of waking) wake()
  }
}

/** The type of a recording by its first bytes; nothing else is sent to a recogniser. */
export function soundOf(bytes: Uint8Array): { bytes: Uint8Array; type: string; ending: string } {
  const head = Buffer.from(bytes.subarray(0, 16))
  const text = head.toString('latin1')
  const found: [string, string] | null =
    head.length > 4 && head.readUInt32BE(0) === 0x1a45dfa3
      ? ['audio/webm', 'webm']
      : text.startsWith('ID3') || (head[0] === 0xff && (head[1]! & 0xe6) === 0xe2)
        ? ['audio/mpeg', 'mp3']
        : text.startsWith('OggS')
          ? ['audio/ogg', 'ogg']
          : text.startsWith('fLaC')
            ? ['audio/flac', 'flac']
            : text.startsWith('RIFF') && text.slice(8, 12) === 'WAVE'
              ? ['audio/wav', 'wav']
              : text.slice(4, 8) === 'ftyp'
                ? ['audio/mp4', 'm4a']
                : null
  if (!found) throw new DomainError('audio_unreadable')
  return { bytes, type: found[0], ending: found[1] }
}

/** The longest that so many bytes can last: a kilobyte a second is below what any recorder makes, and samples take eight. */
export const mostSeconds = (bytes: number, ending: string) => bytes / (ending === 'wav' ? 8_000 : 1_000)
