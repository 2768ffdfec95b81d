// MPEG-1 Layer III, 48 kHz, mono, 64 kbit/s: 192 bytes a frame, two granules of 576 lines in each, no bit reservoir.

export const GRANULE_MS = 12
export const FRAME_BYTES = 192
/** The width of one spectral line. */
const LINE_HZ = 24_000 / 576
const LINES = 160
const MAIN_BITS = (FRAME_BYTES - 4 - 17) * 8
const HEADER = [0xff, 0xfb, 0x54, 0xc0]

/** The sound of twelve milliseconds: each partial by its frequency, whether it is up or down, and how loud the whole is. */
export type Granule = { partials: Map<number, 1 | -1>; gain: number }

export const lineOf = (hz: number) => Math.min(LINES - 1, Math.max(0, Math.round(hz / LINE_HZ - 0.5)))

class Bits {
  readonly #bytes: Uint8Array
  #at = 0
  constructor(bytes: number) {
    this.#bytes = new Uint8Array(bytes)
  }
  put(value: number, length: number) {
    for (let bit = length - 1; bit >= 0; bit--, this.#at++) this.#bytes[this.#at >> 3]! |= ((value >> bit) & 1) << (7 - (this.#at & 7))
  }
  get length() {
    return this.#at
  }
  get bytes() {
    return this.#bytes
  }
}

/** Lines are 0, 1 or -1, in pairs by the standard's first code table: (0,0) 1, (0,1) 001, (1,0) 01, (1,1) 000, then the signs. */
function spectrum(into: Bits, { partials }: Granule, most: number): { bits: number; pairs: number } {
  const pairs = partials.size ? (Math.max(...partials.keys()) >> 1) + 1 : 0
  const begun = into.length
  for (let pair = 0; pair < pairs; pair++) {
    const [x, y] = [partials.get(pair * 2), partials.get(pair * 2 + 1)]
    if (!x && !y) into.put(1, 1)
    else if (!x) into.put(0b001, 3)
    else if (!y) into.put(0b01, 2)
    else into.put(0b000, 3)
    for (const sign of [x, y]) if (sign) into.put(sign < 0 ? 1 : 0, 1)
  }
  if (into.length - begun > most) throw new Error('a granule has more partials than a frame has room for')
  return { bits: into.length - begun, pairs }
}

/** One frame of two granules. */
export function frameOf(granules: [Granule, Granule]): Uint8Array {
  const main = new Bits(FRAME_BYTES)
  const side = new Bits(17)
  side.put(0, 9 + 5 + 4)
  for (const granule of granules) {
    const { bits, pairs } = spectrum(main, granule, MAIN_BITS / 2)
    side.put(bits, 12)
    side.put(pairs, 9)
    side.put(granule.gain, 8)
    side.put(0, 4 + 1)
    // Table 1 in every region.
    for (let region = 0; region < 3; region++) side.put(1, 5)
    side.put(0, 4 + 3 + 3)
  }
  const frame = new Uint8Array(FRAME_BYTES)
  frame.set(HEADER)
  frame.set(side.bytes, 4)
  frame.set(main.bytes.subarray(0, FRAME_BYTES - 21), 21)
  return frame
}
