import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { drawDocument } from '../documents/draw.ts'
import { pdfOf } from './lines.ts'
import { fromTheRight } from './rightToLeft.ts'

const party = (title: string, name: string, ...lines: string[]) => ({ title, name, lines })
const invoiceTo = (name: string, ...lines: string[]) =>
  drawDocument({
    ...{ kind: 'invoice', number: 'INV-2026-000001', at: new Date('2026-11-25'), currency: 'usd', from: party('From', 'Operon Ltd') },
    ...{ seller: null, to: party('To', name, ...lines), lines: [{ title: 'Lead qualification', cents: 10_000 }], taxCents: 0 },
    ...{ grossCents: 10_000, place: null, isReverseCharge: false, about: [] },
  }).toString('latin1')

/** The text that a reader shows and copies, read through the font that the document describes. */
function textsIn(pdf: string): string[] {
  const object = (n: string) => new RegExp(`\\n${n} 0 obj\\n([\\s\\S]*?)\\nendobj`).exec(pdf)![1]!
  const fonts = new Map([...pdf.matchAll(/\/([FRA]\d+) (\d+) 0 R/g)].map(([, name, n]) => [name!, object(n!)]))
  const decoded = (name: string, hex: string) => {
    const font = fonts.get(name)!
    const toUnicode = /\/ToUnicode (\d+) 0 R/.exec(font)?.[1]
    const letters = toUnicode && new Map([...object(toUnicode).matchAll(/^<(\w{4})> <(\w+)>$/gm)].map(([, glyph, code]) => [glyph!, code!]))
    const text = (codes: string) => codes.replace(/\w{4}/g, (code) => String.fromCharCode(Number.parseInt(code, 16)))
    return hex.match(/\w{4}/g)!.map((code) => text(letters ? letters.get(code)! : code))
  }
  return [...pdf.matchAll(/BT [\d.]+ [\d.]+ Td (.*) ET/g)].map(([, written]) =>
    [...written!.matchAll(/\/(\w+) [\d.]+ Tf (?:\((.*?)\)|<(\w+)>) Tj/g)]
      .map(([, font, plain, hex]) => plain ?? decoded(font!, hex!).join(''))
      .join(''),
  )
}

test.each([
  ['Cyrillic', 'Анна Ґалаґан'],
  ['Greek', 'Ζωή Παπαδοπούλου'],
  ['Latin of every country', 'Łukasz Dvořák Nguyễn Thị'],
  ['Chinese', '王小明'],
  ['Japanese', '株式会社さくら'],
  ['Korean', '김민수 (주)'],
])('a PDF has a name in %s letter by letter [spec-136]', (_, name) => {
  const texts = textsIn(invoiceTo(name))
  expect(texts).toContain(name)
  expect(texts.join()).not.toMatch(/\?|\[/)
})

test('letters are drawn with a typeface inside the document, of their own widths', () => {
  const pdf = invoiceTo('Ann', 'Анна')
  const stream = /<< \/Length (\d+) \/Length1 \d+ \/Filter \/FlateDecode >>\nstream\n/.exec(pdf)!
  const from = stream.index + stream[0].length
  const program = inflateSync(Buffer.from(pdf.slice(from, from + Number(stream[1])), 'latin1'))
  expect(program.readUInt32BE(0)).toBe(0x00010000)
  const tables = Array.from({ length: program.readUInt16BE(4) }, (_, n) => program.toString('latin1', 12 + n * 16, 16 + n * 16))
  for (const table of ['glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp']) expect(tables).toContain(table)
  // As wide as in Roboto: an A as its Latin sister, and the others of the name.
  expect([...pdf.matchAll(/\d+ \[(\d+)\]/g)].map(([, width]) => width).sort()).toEqual(['544', '577', '652'])
  expect(invoiceTo('Ann Weaver')).not.toContain('FontFile2')
})

test('only the outlines of letters that occur are in the document', () => {
  const [few, many] = ['Анна', 'Съешь же ещё этих мягких французских булок, да выпей чаю'].map((name) => invoiceTo(name).length)
  expect(few).toBeLessThan(12_000)
  expect(many).toBeGreaterThan(few!)
  expect(invoiceTo('محمد علي', 'שלום 12').length).toBeLessThan(30_000)
})

test.each([
  ['Arabic joined', 'محمد', '\ufeaa\ufee4\ufea4\ufee3'],
  ['lam and alef as one letter', 'سلام', '\ufee1\ufefc\ufeb3'],
  ['vowel points left out', 'مُحَمَّد', '\ufeaa\ufee4\ufea4\ufee3'],
  ['Persian, parted where it says so', 'می\u200cشود', '\ufea9\ufeee\ufeb7\ufbfd\ufee3'],
  ['Hebrew with a number', 'רחוב הרצל 12', '12 לצרה בוחר'],
  ['brackets that face the other way', 'תל אביב (ישראל)', '(לארשי) ביבא לת'],
  ['Latin within', 'דנה Ltd. כהן', 'ןהכ .Ltd הנד'],
])('a line from the right is drawn from the left: %s', (_, said, drawn) => {
  expect(fromTheRight(said)).toBe(drawn)
})

test('names in Arabic and Hebrew are printed, and a reader that puts them in order copies the letters that were typed', () => {
  const pdf = invoiceTo('علي سلام', 'שלום 12')
  const texts = textsIn(pdf)
  expect(texts).toContain('12 םולש')
  // The joined pair is one letter of the line.
  expect(texts).toContain('ملاس يلع')
  expect(pdf).not.toContain('[brackets]')
})

test('a script without a typeface is named in brackets, explained, and whole for whoever copies it', () => {
  const pdf = invoiceTo('ڵێ', 'สวัสดี 12')
  expect(textsIn(pdf)).toEqual(expect.arrayContaining(['[Arabic]', '[Thai] 12']))
  expect(pdf).toContain(`/ActualText <feff${Buffer.from('ڵێ', 'utf16le').swap16().toString('hex')}>`)
  expect(pdf).toContain('Text in [brackets] is in a script that cannot be printed here.')
  expect(invoiceTo('Ann')).not.toContain('[brackets]')
})

test('marks that end a text in a PDF are text, and what is not seen is left out', () => {
  expect(invoiceTo('A \\ (B)\u0007\u202e')).toContain('(A \\\\ \\(B\\) )')
})

test('the columns of a statement stay where they are whatever the script', () => {
  const pdf = pdfOf('Sales statement', ['2026-11-12        100.00 USD  Курс', '2026-11-12        100.00 USD  Sale']).toString('latin1')
  const places = [...pdf.matchAll(/BT ([\d.]+) (?:772|759.5) Td/g)].map(([, x]) => x)
  expect(places.slice(0, places.length / 2)).toEqual(places.slice(places.length / 2))
  expect(textsIn(pdf)).toContain('Курс')
})
