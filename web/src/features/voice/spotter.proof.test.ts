import { readFileSync } from 'node:fs'
import { DEFAULT_SENSITIVITY, type WakeWord } from '@operon/contracts/media/speech'
import createModule from 'soundswallower'
import { beforeAll, expect, test } from 'vitest'
import { resampled, SPOTTER_RATE, Spotter } from './spotter.ts'

const model = (name: string) => new URL(`../../../node_modules/soundswallower/model/en-us/${name}`, import.meta.url).pathname
let spotter: Spotter
beforeAll(async () => {
  const module = await createModule({ defaultModel: null } as never)
  spotter = await Spotter.load(module as never, {
    featparams: model('feat_params.json'),
    mdef: model('mdef'),
    mean: model('means'),
    sendump: model('sendump'),
    tmat: model('transition_matrices'),
    var: model('variances'),
  })
})

/** A recording between two pauses in a room that is not silent, in pieces as a microphone gives them. */
function heardIn(sample: string): boolean {
  const wav = readFileSync(new URL(`samples/${sample}.wav`, import.meta.url))
  const spoken = new Int16Array(wav.buffer, wav.byteOffset + 44, Math.floor((wav.length - 44) / 2))
  const sound = Float32Array.from({ length: spoken.length + SPOTTER_RATE }, (_, at) => {
    // A fixed pattern instead of chance, so that the test hears the same each time.
    const room = (((at * 7919) % 104_729) / 104_729 - 0.5) * 0.002
    return (spoken[at - SPOTTER_RATE / 2] ?? 0) / 32_768 + room
  })
  let found = false
  for (let at = 0; at < sound.length; at += 1600) found = spotter.hear(sound.subarray(at, at + 1600)) || found
  return found
}

const samples: Record<WakeWord, string> = { 'Hey Jarvis': 'hey-jarvis', 'Hey Assistant': 'hey-assistant', Computer: 'computer', AI: 'ai' }
const others = ['hey-travis', 'hey-there-how-are-you']

test('each wake word is found by the model in this process, and neither another one nor what merely sounds like it [spec-128]', () => {
  for (const word of Object.keys(samples) as WakeWord[]) {
    spotter.lookFor(word, DEFAULT_SENSITIVITY)
    const all = [...Object.values(samples), ...others]
    expect([word, all.filter(heardIn)]).toEqual([word, [samples[word]]])
  }
})

test('the sensitivity decides: what sounds alike is taken at the highest and not at the usual one, and at none the word stands alone [spec-128]', () => {
  const taken = (sensitivity: number, sample: string) => {
    spotter.lookFor('Hey Jarvis', sensitivity)
    return heardIn(sample)
  }
  expect([taken(1, 'hey-travis'), taken(DEFAULT_SENSITIVITY, 'hey-travis')]).toEqual([true, false])
  expect([taken(DEFAULT_SENSITIVITY, 'hey-jarvis'), taken(0, 'hey-jarvis')]).toEqual([true, false])
})

test('loud noise is no word', () => {
  spotter.lookFor('AI', 1)
  const noise = Float32Array.from(
    { length: SPOTTER_RATE * 3 },
    (_, at) => (((at * 7919) % 104_729) / 104_729 - 0.5) * (at % 16_000 < 8000 ? 0.9 : 0.002),
  )
  let found = false
  for (let at = 0; at < noise.length; at += 1600) found = spotter.hear(noise.subarray(at, at + 1600)) || found
  expect(found).toBe(false)
})

test('sound of another rate keeps its length in time', () => {
  expect([44_100, 48_000].map((rate) => resampled(new Float32Array(rate), rate).length)).toEqual([SPOTTER_RATE, SPOTTER_RATE])
})
