// Runs in the audio thread, whose globals TypeScript's DOM library does not know.
declare const registerProcessor: (name: string, processor: unknown) => void
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}

const PIECE = 4096

/** Hands the sound of the microphone on, in pieces. */
class Tap extends AudioWorkletProcessor {
  #piece = new Float32Array(PIECE)
  #filled = 0

  process([input]: Float32Array[][]): boolean {
    const samples = input?.[0]
    if (!samples) return true
    this.#piece.set(samples, this.#filled)
    this.#filled += samples.length
    if (this.#filled >= PIECE) {
      this.port.postMessage(this.#piece, [this.#piece.buffer])
      this.#piece = new Float32Array(PIECE)
      this.#filled = 0
    }
    return true
  }
}
registerProcessor('tap', Tap)
