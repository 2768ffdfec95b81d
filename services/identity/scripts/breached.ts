import { writeFileSync } from 'node:fs'
import { dictionary } from '@zxcvbn-ts/language-common'
import { coresOf, unmasked } from '../src/passwords/forms.ts'

// Makes src/passwords/breached.txt: `node services/identity/scripts/breached.ts`.

const HEAD = `# Leaked passwords, most of them used by more than ten people: the list of @zxcvbn-ts/language-common 4.1.3 (MIT, https://github.com/zxcvbn-ts/zxcvbn),
# which comes from Mark Burnett's ten million leaked passwords (2015). Kept are those that tell something about a password of today's rule:
# at least four characters, a letter among them, and not already refused because the rest of them is on the list.
# Sorted; each line begins with how many letters it shares with the one before (base 36). Made by scripts/breached.ts, not by hand.
`

const PASSWORDS = dictionary['passwords-common']
const all = new Set(PASSWORDS.map((word) => coresOf(word)[1]!))
const telling = [...all].filter((word) => word.length >= 4 && /\p{L}/u.test(word) && new Set(word).size > 2 && !isCovered(word))
writeFileSync(new URL('../src/passwords/breached.txt', import.meta.url), HEAD + frontCoded(telling.toSorted()))
console.log(`${telling.length} of ${PASSWORDS.length}`)

/** A shorter form of it, of four characters or more, is on the list by itself. */
function isCovered(word: string): boolean {
  const forms = coresOf(word).flatMap((core) => [core, unmasked(core)])
  return forms.some((form) => form !== word && form.length >= 4 && /\p{L}/u.test(form) && all.has(form))
}

function frontCoded(words: string[]): string {
  let last = ''
  return words.reduce((text, word) => {
    let shared = 0
    while (shared < 35 && shared < word.length && word[shared] === last[shared]) shared++
    last = word
    return `${text}${shared.toString(36)}${word.slice(shared)}\n`
  }, '')
}
