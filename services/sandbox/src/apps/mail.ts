// How mailboxes search for people: by words, so that "ann@x.com" finds mary.ann@x.com and whoever calls herself so.

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []

/** Whether the words of a phrase stand in a text, one after another. */
export function saysPhrase(text: string, phrase: string): boolean {
  const [words, wanted] = [wordsOf(text), wordsOf(phrase)]
  return wanted.length > 0 && words.some((_word, at) => wanted.every((word, further) => words[at + further] === word))
}

/** `"a b@x.com"` after an operator, or one word. What stands in quotes ends at the next quote. */
export const VALUE = String.raw`"([^"]*)"|([^\s"(){}]+)`
