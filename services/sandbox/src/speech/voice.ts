import { createHash } from 'node:crypto'
import { frameOf, GRANULE_MS, type Granule, lineOf } from './frames.ts'

// A robot that reads letter by letter: real audio, the same for the same text and voice, that nobody takes for a person.

/** The three loudest bands of each vowel. */
const vowels: Record<string, [number, number, number]> = {
  a: [730, 1090, 2440],
  e: [530, 1840, 2480],
  i: [270, 2290, 3010],
  o: [570, 840, 2410],
  u: [300, 870, 2240],
  y: [300, 2100, 2900],
}
const HUMMED = /[bdgjlmnrvwz]/
const LOUD = 196
const SOFT = 188
const SILENT = 0
const silence: Granule = { partials: new Map(), gain: SILENT }

/** How high a voice speaks, and how wide its throat is. */
export type Voice = { pitch: number; throat: number }
export function voiceOf(name: string): Voice {
  const known: Record<string, Voice> = {
    alloy: { pitch: 150, throat: 1 },
    echo: { pitch: 115, throat: 0.94 },
    fable: { pitch: 165, throat: 1.04 },
    onyx: { pitch: 90, throat: 0.88 },
    nova: { pitch: 205, throat: 1.1 },
    shimmer: { pitch: 230, throat: 1.15 },
  }
  const dice = createHash('sha256').update(name).digest()
  return known[name] ?? { pitch: 100 + (dice[0]! % 120), throat: 0.9 + (dice[1]! % 25) / 100 }
}

/** The sound of a text, granule by granule: an even number of them. */
export function* speech(text: string, voice: Voice, speed = 1): Generator<Granule> {
  let time = 0
  const lasting = (ms: number) => Math.max(1, Math.round(ms / speed / GRANULE_MS))
  for (const letter of text.toLowerCase().normalize('NFKD')) {
    const bands = vowels[letter]
    const [ms, draw] = bands
      ? [96, () => vowel(bands, voice, time, LOUD)]
      : HUMMED.test(letter)
        ? [60, () => vowel([250, 1200, 2200], voice, time, SOFT)]
        : /[\p{L}\p{N}]/u.test(letter)
          ? [48, () => hiss(letter, time)]
          : /[.!?;:,]/.test(letter)
            ? [180, () => silence]
            : [48, () => silence]
    for (let n = lasting(ms); n > 0; n--, time++) yield draw()
  }
  if (time % 2) yield silence
}

/** Harmonics of the pitch near the three bands. A partial is up, down or away as its wave stands at that moment. */
function vowel(bands: [number, number, number], { pitch, throat }: Voice, time: number, gain: number): Granule {
  const partials: Granule['partials'] = new Map()
  const bent = pitch * (1 + 0.06 * Math.sin(time / 14))
  for (let hz = bent; hz < 4000; hz += bent) {
    if (!bands.some((band) => Math.abs(hz - band * throat) < 130)) continue
    const wave = Math.cos(2 * Math.PI * hz * time * (GRANULE_MS / 1000))
    if (Math.abs(wave) > 0.3) partials.set(lineOf(hz), wave > 0 ? 1 : -1)
  }
  return { partials, gain }
}

function hiss(letter: string, time: number): Granule {
  const dice = createHash('sha256').update(`${letter}${time}`).digest()
  return {
    partials: new Map(Array.from({ length: 20 }, (_, n) => [lineOf(3000 + n * 160), dice[n]! & 1 ? 1 : -1] as const)),
    gain: SOFT - 6,
  }
}

/** An MP3 in pieces: the text as its lyrics, where the stand-in's ear finds it again, then the frames. */
export function* mp3(text: string, voice: Voice, speed = 1): Generator<Uint8Array> {
  yield lyrics(text)
  let first: Granule | undefined
  for (const granule of speech(text, voice, speed)) {
    if (first) yield frameOf([first, granule])
    first = first ? undefined : granule
  }
}

/** ID3v2.4 with one USLT frame. */
function lyrics(text: string): Uint8Array {
  const body = Buffer.concat([Buffer.from([3]), Buffer.from('eng\0'), Buffer.from(text)])
  const frame = Buffer.concat([Buffer.from('USLT'), sevenBits(body.length), Buffer.from([0, 0]), body])
  return Buffer.concat([Buffer.from('ID3'), Buffer.from([4, 0, 0]), sevenBits(frame.length), frame])
}
const sevenBits = (size: number) => Buffer.from([(size >> 21) & 127, (size >> 14) & 127, (size >> 7) & 127, size & 127])
