import { assemble, streamOf } from '../pdf/file.ts'
import { Letters, NOT_PRINTED, widthOf } from '../pdf/letters.ts'

export type Party = { title: string; name: string; lines: string[] }
type Drawn = {
  kind: 'invoice' | 'credit_note'
  number: string
  at: Date
  currency: string
  from: Party
  seller: Party | null
  to: Party
  /** Without tax. */
  lines: { title: string; cents: number }[]
  taxCents: number
  grossCents: number
  /** The place of the tax; null where no tax was asked for. */
  place: string | null
  isReverseCharge: boolean
  about: string[]
}
type Font = 'F1' | 'F2' | 'F3'
const LEFT = 56
const RIGHT = 539
/** The width of a letter of Courier, which alone is measured without a table. */
const MONO = 0.6

/** One page. An order has at most twenty lines. */
export function drawDocument(drawn: Drawn): Buffer {
  const parts: string[] = []
  const letters = new Letters()
  const text = (x: number, y: number, said: string, size = 10, font: Font = 'F1') =>
    parts.push(letters.at(x, y, said, size, font, font === 'F2' ? 700 : 400))
  const amount = (y: number, cents: number, size = 10) => {
    const said = `${(cents / 100).toFixed(2)} ${drawn.currency.toUpperCase()}`
    text(RIGHT - said.length * size * MONO, y, said, size, 'F3')
  }
  const rule = (y: number) => parts.push(`0.8 G 0.5 w ${LEFT} ${y} m ${RIGHT} ${y} l S`)
  const sign = drawn.kind === 'invoice' ? 1 : -1

  text(LEFT, 770, drawn.kind === 'invoice' ? 'Invoice' : 'Credit note', 24, 'F2')
  text(LEFT, 746, `${drawn.number}   ${drawn.at.toISOString().slice(0, 10)}`, 10, 'F3')

  const party = (x: number, { title, name, lines }: Party, wide: number) => {
    text(x, 706, title, 9)
    const said = [name, ...lines].flatMap((line) => wrapped(line, wide)).slice(0, 9)
    for (const [n, line] of said.entries()) text(x, 690 - n * 13, line, 10, n === 0 ? 'F2' : 'F1')
  }
  party(LEFT, drawn.from, 30)
  party(224, drawn.to, 30)
  if (drawn.seller) party(392, drawn.seller, 28)

  let y = 556
  text(LEFT, y, 'Description', 9)
  text(RIGHT - 47, y, 'Without tax', 9)
  rule(y - 6)
  for (const { title, cents } of drawn.lines) {
    y -= 20
    text(LEFT, y, cutTo(title, 70))
    amount(y, sign * cents)
  }
  rule(y - 8)
  const net = drawn.grossCents - drawn.taxCents
  for (const [name, cents] of [
    ['Net', net],
    [taxName(drawn, net), drawn.taxCents],
  ] as const) {
    y -= 24
    text(LEFT, y, name)
    amount(y, sign * cents)
  }
  y -= 28
  text(LEFT, y, drawn.kind === 'invoice' ? 'Total' : 'Total returned', 12, 'F2')
  amount(y, sign * drawn.grossCents, 12)
  rule(y - 10)
  y -= 14
  const names = [drawn.from, drawn.to, ...(drawn.seller ? [drawn.seller] : [])].flatMap(({ name, lines }) => [name, ...lines])
  const isWhole = [...names, ...drawn.lines.map(({ title }) => title)].every((each) => letters.canPrint(each))
  const notes = [
    ...(drawn.isReverseCharge ? ['Reverse charge: the customer accounts for the tax.'] : []),
    ...drawn.about,
    ...(isWhole ? [] : [NOT_PRINTED]),
  ]
  for (const line of notes.flatMap((note) => wrapped(note, 96))) {
    y -= 16
    text(LEFT, y, line)
  }
  text(LEFT, 44, drawn.number, 8, 'F3')

  const fonts = letters.fonts(8)
  const font = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`
  return assemble([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [6 0 R] /Count 1 >>',
    font('Helvetica'),
    font('Helvetica-Bold'),
    font('Courier'),
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R${fonts.named} >> >> /Contents 7 0 R >>`,
    streamOf(parts.join('\n')),
    ...fonts.objects,
  ])
}

/** With the rate, where the amounts lead back to one: a state's and a city's tax together have several. */
function taxName({ place, taxCents, isReverseCharge }: Drawn, net: number): string {
  if (!place) return 'Tax'
  if (isReverseCharge) return `Tax, ${place}, reverse charge`
  const rate = Math.round((taxCents * 1000) / net) / 10
  return Math.round((net * rate) / 100) === taxCents ? `Tax, ${place}, ${rate} %` : `Tax, ${place}`
}

function wrapped(line: string, most: number): string[] {
  const lines: string[] = []
  for (const word of line.split(' ').flatMap((word) => piecesOf(word, most))) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(last) + widthOf(word) < most) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** A line of Chinese or Japanese has no spaces to wrap at. */
function piecesOf(word: string, most: number): string[] {
  const pieces = ['']
  for (const letter of word)
    if (widthOf(pieces.at(-1)!) + widthOf(letter) > most) pieces.push(letter)
    else pieces[pieces.length - 1] += letter
  return pieces
}
const cutTo = (title: string, most: number) => (widthOf(title) > most ? `${piecesOf(title, most - 1)[0]}...` : title)
