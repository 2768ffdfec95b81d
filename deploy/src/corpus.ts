import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { writeRelease } from './corpus/corpus.ts'
import { say } from './log.ts'

// `npm run corpus`, once for each release: records what its services send each other, for later versions to be held against.
const root = resolve(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as { version: string }
for (const file of writeRelease(version)) say(relative(root, file))
