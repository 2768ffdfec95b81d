import bidiFactory from 'bidi-js'

// Hebrew and Arabic, as they are drawn from left to right.

export const isFromTheRight = (text: string) => /[\p{sc=Hebrew}\p{sc=Arabic}]/u.test(text)
/** Some letters of Kurdish, Pashto and others have no joined forms in Unicode. */
export const canBeJoined = (text: string) => [...text].every((letter) => !/(?=\p{L})\p{sc=Arabic}/u.test(letter) || forms.has(letter))

// Its types describe a module, and what is loaded is the function itself.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)()
/** Letters as they stand on the line, joined. Vowel points are left out: a typeface places them by tables that are not read here. */
export function fromTheRight(text: string): string {
  const joined = join(text.replace(/(?=\p{Mn})[\p{sc=Hebrew}\p{scx=Arabic}]/gu, ''))
  return bidi.getReorderedString(joined, bidi.getEmbeddingLevels(joined))
}

/** The forms of each Arabic letter, in Unicode's own order: alone, last, first, in the middle. Those that join on one side have two. */
const forms = new Map<string, string[]>([['\u0640', Array(4).fill('\u0640')]])
for (const [from, to] of [
  [0xfe80, 0xfefc],
  [0xfb50, 0xfbff],
] as const)
  for (let code = from; code <= to; code++) {
    const form = String.fromCodePoint(code)
    const letter = form.normalize('NFKC')
    // Of the pairs, lam and alef alone must be one letter.
    if (letter.length === 1 || (code >= 0xfef5 && code <= 0xfefc)) forms.set(letter, [...(forms.get(letter) ?? []), form])
  }

/** The letter or the two letters of a joined form, for whoever searches or copies: readers put lines from the right in order themselves. */
export const letterOf = (form: string) => (/[\ufb50-\ufdff\ufe70-\ufefc]/.test(form) ? form.normalize('NFKC') : form)

function join(text: string): string {
  const letters = text.match(/\u0644[\u0622\u0623\u0625\u0627]|[\s\S]/gu) ?? []
  const joinsBefore = (at: number) => letters[at] === '\u200d' || (forms.get(letters[at] ?? '')?.length ?? 0) >= 2
  const joinsAfter = (at: number) => letters[at] === '\u200d' || forms.get(letters[at] ?? '')?.length === 4
  return letters
    .map((letter, at) => {
      const isLast = joinsBefore(at) && joinsAfter(at - 1)
      const isFirst = joinsAfter(at) && joinsBefore(at + 1)
      return forms.get(letter)?.[(isLast ? 1 : 0) + (isFirst ? 2 : 0)] ?? letter
    })
    .join('')
    .replace(/[\u200c\u200d]/g, '')
}
