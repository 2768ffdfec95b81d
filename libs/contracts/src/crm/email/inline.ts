// The simple marks of a text: `**bold**`, `*italic*`, `[label](https://…)`, lists. Everything else is words, and words are escaped.

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char]!)

/** Where a link may lead: https and mailto, and http on this machine alone, where developers keep pictures. A merge field, a mark here, may stand behind the host alone. */
export function safeUrl(given: string): string | null {
  const url = given.trim()
  if (/^mailto:[^\s<>"']{3,300}$/i.test(url)) return url
  if (!/^(https:\/\/[^\s<>"'\\/?#\uE000]+|http:\/\/(localhost|127\.0\.0\.1)(:\d{1,5})?)([/?#][^\s<>"'\\]*)?$/i.test(url)) return null
  try {
    return new URL(url.replace(/[\uE000\uE001]/g, '')).hostname ? url : null
  } catch {
    return null
  }
}

export type Inline =
  | { kind: 'text'; text: string; bold?: boolean; italic?: boolean }
  | { kind: 'link'; label: Inline[]; url: string }
  | { kind: 'break' }
export type Paragraph = { kind: 'paragraph' | 'item'; parts: Inline[] }

const LINK = /\[([^[\]\n]{1,300})\]\(([^()\s]{1,2000})\)/g

export function paragraphsOf(text: string): Paragraph[] {
  const found: Paragraph[] = []
  for (const piece of text.replace(/\r\n?/g, '\n').split(/\n{2,}/)) {
    let open: Paragraph | null = null
    for (const line of piece.split('\n')) {
      const item = /^\s{0,3}[-•] (.*)$/.exec(line)
      if (item) {
        found.push({ kind: 'item', parts: inlineOf(item[1]!) })
        open = null
      } else if (line.trim() || open) {
        if (open) open.parts.push({ kind: 'break' }, ...inlineOf(line))
        else {
          open = { kind: 'paragraph', parts: inlineOf(line) }
          found.push(open)
        }
      }
    }
  }
  return found
}

/** One line of text. */
export function inlineOf(line: string): Inline[] {
  const parts: Inline[] = []
  let from = 0
  for (const match of line.matchAll(LINK)) {
    parts.push(...emphasized(line.slice(from, match.index)))
    parts.push({ kind: 'link', label: emphasized(match[1]!), url: match[2]! })
    from = match.index + match[0].length
  }
  return [...parts, ...emphasized(line.slice(from))]
}

function emphasized(text: string): Inline[] {
  return text
    .split(/(\*\*[^*\n]{1,2000}\*\*|\*[^*\s][^*\n]{0,2000}\*)/)
    .filter(Boolean)
    .map((piece): Inline => {
      if (piece.length > 4 && piece.startsWith('**') && piece.endsWith('**')) return { kind: 'text', text: piece.slice(2, -2), bold: true }
      if (piece.length > 2 && /^\*[^*\s].*\*$/.test(piece)) return { kind: 'text', text: piece.slice(1, -1), italic: true }
      return { kind: 'text', text: piece }
    })
}
