import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { writeRelease } from './corpus/corpus.ts'
import { writeRecorded } from './corpus/recorded.ts'
import { say } from './log.ts'

// `npm run corpus`, once for each release: writes what its services may send each other, for later versions to be held against. Afterwards
// `npm run corpus -- --recorded <folder>` keeps samples of what they did send while the tests ran with OPERON_RECORD=<folder>.
const root = resolve(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as { version: string }
const args = process.argv.slice(2)
const heardIn = args.includes('--recorded') ? args[args.indexOf('--recorded') + 1] : undefined
if (heardIn) {
  const { recorded, made_only } = writeRecorded(version, resolve(heardIn))
  say(`${Object.keys(recorded).length} messages recorded; ${made_only.length} did not travel and have made samples alone`)
} else for (const file of writeRelease(version)) say(relative(root, file))
