import { readFileSync } from 'node:fs'
import { coresOf, unmasked } from './forms.ts'

// Read by the first password that is chosen: megabytes that a process at rest does not need.
let kept: Set<string> | null = null
/** Where the words come from stands in the head of the file; `scripts/breached.ts` makes it. */
const words = () => (kept ??= readWords(readFileSync(new URL('breached.txt', import.meta.url), 'utf8')))

/** Whether a password is one of the leaked ones, or one of them with digits, signs or look-alike characters about it. */
export const isBreached = (password: string): boolean => coresOf(password).some((core) => words().has(core) || words().has(unmasked(core)))

/** Each line begins with how many letters it shares with the one before, in base 36. */
export function readWords(file: string): Set<string> {
  const words = new Set<string>()
  let last = ''
  for (const line of file.split('\n')) {
    if (!line || line.startsWith('#')) continue
    last = last.slice(0, Number.parseInt(line[0]!, 36)) + line.slice(1)
    words.add(last)
  }
  return words
}
