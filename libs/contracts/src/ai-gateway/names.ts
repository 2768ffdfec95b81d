// How an answer is read as a list of names, on the server and where a kept answer is shown.

/** At most eight, without list numbers, bullets, quotes and remarks. */
export function namesIn(answer: string): string[] {
  const names = answer
    .split('\n')
    .map((line) =>
      line
        .replace(/\*\*|["“”`]/g, '')
        .replace(/^\s*(?:\d+[.):]|[-*•])\s*/, '')
        .replace(/(?:\s+[-–—]|\s*:)\s.*$/, '')
        .trim(),
    )
    .filter((name) => name.length > 1 && name.length <= 40 && !/[:.!?]$/.test(name))
  return [...new Set(names)].slice(0, 8)
}

/** Eight that stand in where no answer came. */
export const fallbackNames = [
  'Northwind Works',
  'Clearpath Studio',
  'Brightline Co',
  'Anchor & Oak',
  'Fieldnote',
  'Lumen House',
  'Truewell',
  'Kindred Supply',
]
