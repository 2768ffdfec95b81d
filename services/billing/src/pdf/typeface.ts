import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { deflateSync, inflateSync } from 'node:zlib'
import { streamOf } from './file.ts'

export type Weight = 400 | 700
/** The tables that a font program needs inside a document. */
const KEPT = ['cvt ', 'fpgm', 'glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp', 'prep']

/** One file of a typeface: the letters of one script. */
export class Typeface {
  readonly glyphs: Map<number, number>
  private readonly family: string
  private readonly weight: Weight
  private readonly tables: Map<string, Buffer>

  constructor(family: string, subset: string, weight: Weight) {
    this.family = family
    this.weight = weight
    const file = fileURLToPath(import.meta.resolve(`@fontsource/${family}/files/${family}-${subset}-${weight}-normal.woff`))
    this.tables = tablesOf(readFileSync(file))
    this.glyphs = glyphsOf(this.tables.get('cmap')!)
  }

  /** The five objects of the font, the first of which is numbered `first`; `used` are its letters by their glyphs. */
  objects(first: number, used: Map<number, string>, tag: string): string[] {
    const name = `${tag}+${this.family}-${this.weight === 700 ? 'Bold' : 'Regular'}`
    const [head, hhea] = [this.tables.get('head')!, this.tables.get('hhea')!]
    const of = (units: number) => Math.round((units * 1000) / head.readUInt16BE(18))
    const box = [36, 38, 40, 42].map((at) => of(head.readInt16BE(at))).join(' ')
    const widths = [...used.keys()].sort((a, b) => a - b).map((glyph) => `${glyph} [${of(this.widthOf(glyph))}]`)
    const program = fontOf(cutTo(this.tables, used.keys()))
    const system = '<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>'
    return [
      `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H /DescendantFonts [${first + 1} 0 R] /ToUnicode ${first + 4} 0 R >>`,
      `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${name} /CIDSystemInfo ${system} /CIDToGIDMap /Identity /FontDescriptor ${first + 2} 0 R /W [${widths.join(' ')}] >>`,
      `<< /Type /FontDescriptor /FontName /${name} /Flags 4 /FontBBox [${box}] /ItalicAngle 0 /Ascent ${of(hhea.readInt16BE(4))} /Descent ${of(hhea.readInt16BE(6))} /CapHeight 711 /StemV ${this.weight === 700 ? 140 : 88} /FontFile2 ${first + 3} 0 R >>`,
      streamOf(deflateSync(program).toString('latin1'), ` /Length1 ${program.length} /Filter /FlateDecode`),
      streamOf(unicodeOf(used)),
    ]
  }

  private widthOf(glyph: number): number {
    const measured = this.tables.get('hhea')!.readUInt16BE(34)
    return this.tables.get('hmtx')!.readUInt16BE(Math.min(glyph, measured - 1) * 4)
  }
}

function tablesOf(woff: Buffer): Map<string, Buffer> {
  const tables = new Map<string, Buffer>()
  for (let n = 0; n < woff.readUInt16BE(12); n++) {
    const at = 44 + n * 20
    const [start, packed, whole] = [woff.readUInt32BE(at + 4), woff.readUInt32BE(at + 8), woff.readUInt32BE(at + 12)]
    const table = woff.subarray(start, start + packed)
    tables.set(woff.toString('latin1', at, at + 4), packed < whole ? inflateSync(table) : table)
  }
  return tables
}

/** Letters by their code point, from the table of segments that every such file has. */
function glyphsOf(cmap: Buffer): Map<number, number> {
  const glyphs = new Map<number, number>()
  const subtables = Array.from({ length: cmap.readUInt16BE(2) }, (_, n) => cmap.subarray(cmap.readUInt32BE(8 + n * 8)))
  const table = subtables.find((each) => each.readUInt16BE(0) === 4)
  if (!table) throw new Error('This typeface has no table of its letters that can be read here.')
  const size = table.readUInt16BE(6)
  const read = (part: number, at: number) => table.readUInt16BE(14 + part * size + (part > 0 ? 2 : 0) + at)
  for (let at = 0; at < size; at += 2) {
    const [end, start, shift, offset] = [read(0, at), read(1, at), read(2, at), read(3, at)]
    for (let code = start; code <= end && code < 0xffff; code++) {
      const found = offset === 0 ? code : table.readUInt16BE(16 + 3 * size + at + offset + (code - start) * 2)
      if (found > 0) glyphs.set(code, (found + shift) & 0xffff)
    }
  }
  return glyphs
}

/** The same tables without the outlines of all other glyphs. Their numbers stay, so that the text need not change. */
function cutTo(tables: Map<string, Buffer>, used: Iterable<number>): Map<string, Buffer> {
  const [head, loca, glyf] = [Buffer.from(tables.get('head')!), tables.get('loca')!, tables.get('glyf')!]
  const isLong = head.readUInt16BE(50) === 1
  const at = (glyph: number) => (isLong ? loca.readUInt32BE(glyph * 4) : loca.readUInt16BE(glyph * 2) * 2)
  const outline = (glyph: number) => glyf.subarray(at(glyph), at(glyph + 1))
  // The first one stands for whatever is missing.
  const kept = new Set([0, ...used])
  for (const glyph of kept) for (const part of partsOf(outline(glyph))) kept.add(part)
  const count = loca.length / (isLong ? 4 : 2) - 1
  const [places, outlines] = [Buffer.alloc((count + 1) * 4), [] as Buffer[]]
  let end = 0
  for (let glyph = 0; glyph < count; glyph++) {
    places.writeUInt32BE(end, glyph * 4)
    if (!kept.has(glyph)) continue
    const filled = Buffer.concat([outline(glyph), Buffer.alloc((4 - (outline(glyph).length % 4)) % 4)])
    outlines.push(filled)
    end += filled.length
  }
  places.writeUInt32BE(end, count * 4)
  head.writeUInt16BE(1, 50)
  return new Map([...tables, ['head', head], ['loca', places], ['glyf', Buffer.concat(outlines)]])
}

const [WORDS, MORE, SCALED, BY_AXIS, MATRIX] = [0x1, 0x20, 0x8, 0x40, 0x80]
/** A letter with a mark is made of two outlines, which it names. */
function partsOf(outline: Buffer): number[] {
  if (outline.length === 0 || outline.readInt16BE(0) >= 0) return []
  const parts: number[] = []
  for (let at = 10, flags = MORE; flags & MORE; ) {
    flags = outline.readUInt16BE(at)
    parts.push(outline.readUInt16BE(at + 2))
    at += 4 + (flags & WORDS ? 4 : 2) + (flags & SCALED ? 2 : flags & BY_AXIS ? 4 : flags & MATRIX ? 8 : 0)
  }
  return parts
}

/** The tables as a TrueType file. */
function fontOf(tables: Map<string, Buffer>): Buffer {
  const kept = KEPT.flatMap((tag) => (tables.has(tag) ? [[tag, tables.get(tag)!] as const] : []))
  const header = Buffer.alloc(12 + kept.length * 16)
  header.writeUInt32BE(0x00010000, 0)
  header.writeUInt16BE(kept.length, 4)
  const parts: Buffer[] = [header]
  let at = header.length
  for (const [n, [tag, table]] of kept.entries()) {
    header.write(tag, 12 + n * 16, 'latin1')
    header.writeUInt32BE(at, 20 + n * 16)
    header.writeUInt32BE(table.length, 24 + n * 16)
    const filler = Buffer.alloc((4 - (table.length % 4)) % 4)
    parts.push(table, filler)
    at += table.length + filler.length
  }
  return Buffer.concat(parts)
}

/** Which letter each glyph is, so that a text can be found and copied. */
function unicodeOf(used: Map<number, string>): string {
  const hex = (n: number) => n.toString(16).padStart(4, '0')
  const meant = (letters: string) => Array.from({ length: letters.length }, (_, n) => hex(letters.charCodeAt(n))).join('')
  const pairs = [...used].map(([glyph, letters]) => `<${hex(glyph)}> <${meant(letters)}>`)
  const blocks: string[] = []
  for (let at = 0; at < pairs.length; at += 100) {
    const block = pairs.slice(at, at + 100)
    blocks.push(`${block.length} beginbfchar\n${block.join('\n')}\nendbfchar`)
  }
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <ffff>
endcodespacerange
${blocks.join('\n')}
endcmap
CMapName currentdict /CMap defineresource pop
end
end`
}
