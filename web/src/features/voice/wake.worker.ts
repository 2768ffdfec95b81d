import type { WakeWord } from '@operon/contracts/media/speech'
import createModule from 'soundswallower'
import featparams from '../../../node_modules/soundswallower/model/en-us/feat_params.json?url'
import mdef from '../../../node_modules/soundswallower/model/en-us/mdef?url'
import mean from '../../../node_modules/soundswallower/model/en-us/means?url'
import sendump from '../../../node_modules/soundswallower/model/en-us/sendump?url'
import tmat from '../../../node_modules/soundswallower/model/en-us/transition_matrices?url'
import variances from '../../../node_modules/soundswallower/model/en-us/variances?url'
import wasm from '../../../node_modules/soundswallower/soundswallower.web.wasm?url'
import { resampled, Spotter } from './spotter.ts'

export type ToWake = { word: WakeWord; sensitivity: number } | { rate: number; sound: Float32Array }
export type FromWake = 'ready' | 'failed' | 'heard'

const tell = (what: FromWake) => postMessage(what)
// A model of no folder: each of its files has an address of its own.
const spotter = createModule({ defaultModel: null, locateFile: () => wasm } as never)
  .then((module) => Spotter.load(module as never, { featparams, mdef, mean, sendump, tmat, var: variances }))
  .catch(() => {
    tell('failed')
    return null
  })

// In the order in which they came, though the first waits for the model.
let last: Promise<void> = Promise.resolve()
self.onmessage = ({ data }: MessageEvent<ToWake>) => {
  last = last.then(async () => {
    const ready = await spotter
    if (!ready) return
    if ('word' in data) {
      ready.lookFor(data.word, data.sensitivity)
      tell('ready')
    } else if (ready.hear(resampled(data.sound, data.rate))) tell('heard')
  })
}
