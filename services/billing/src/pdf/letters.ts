import { canBeJoined, fromTheRight, isFromTheRight, letterOf } from './rightToLeft.ts'
import { Typeface, type Weight } from './typeface.ts'

export const NOT_PRINTED = 'Text in [brackets] is in a script that cannot be printed here. The order shows it.'

/** Names that every PDF reader resolves to a typeface of its own. None is embedded: one has many megabytes. */
const asian = {
  Korean: { font: 'HYSMyeongJo-Medium', ordering: 'Korea1', supplement: 2, encoding: 'UniKS-UTF16-H' },
  Japanese: { font: 'HeiseiMin-W3', ordering: 'Japan1', supplement: 5, encoding: 'UniJIS-UTF16-H' },
  Chinese: { font: 'STSong-Light', ordering: 'GB1', supplement: 5, encoding: 'UniGB-UTF16-H' },
} as const
type Asian = keyof typeof asian
const WIDE = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\u3000-\u303f\uff00-\uffef]/u

/** The first that has a letter draws it. */
const files = {
  roboto: ['latin', 'latin-ext', 'cyrillic', 'greek', 'cyrillic-ext', 'greek-ext', 'vietnamese'],
  'noto-sans-hebrew': ['hebrew'],
  'noto-sans-arabic': ['arabic'],
}
const faces = Object.fromEntries([400, 700].map((weight) => [weight, [] as Typeface[]])) as Record<Weight, Typeface[]>
/** Read when a text needs them first: most documents need none. */
const facesOf = (weight: Weight): Typeface[] => {
  if (faces[weight].length === 0)
    faces[weight] = Object.entries(files).flatMap(([family, subsets]) => subsets.map((subset) => new Typeface(family, subset, weight)))
  return faces[weight]
}

const scripts = [
  'Arabic',
  'Hebrew',
  'Thai',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
]
  .concat(['Georgian', 'Armenian', 'Ethiopic', 'Khmer', 'Lao', 'Myanmar', 'Tibetan', 'Mongolian'])
  .map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const)
const scriptOf = (letter: string) => scripts.find(([, pattern]) => pattern.test(letter))?.[0] ?? 'symbol'

const plain: Record<string, string> = { '’': "'", '‘': "'", '“': '"', '”': '"', '–': '-', '—': '-', '…': '...', '\u00a0': ' ' }
const cleaned = (said: string) =>
  said
    .normalize('NFC')
    .replace(/\p{Cc}/gu, ' ')
    .replace(isFromTheRight(said) ? /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu : /\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[’‘“”–—…\u00a0]/g, (letter) => plain[letter]!)
const isWestern = (text: string) => /^[\x20-\x7e\xa0-\xff]*$/.test(text)
const hex = (codes: Iterable<number>) => [...codes].map((code) => code.toString(16).padStart(4, '0')).join('')
const utf16 = (text: string) => hex(Array.from({ length: text.length }, (_, n) => text.charCodeAt(n)))

type Run = { kind: 'base' | Asian; text: string } | { kind: 'face'; face: Typeface; text: string } | { kind: 'none'; text: string }

/** How wide a text is in letters: those of East Asia take two. */
export const widthOf = (text: string) => [...text].reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0)

/** Writes text in any script, and keeps which typefaces a document takes for it. */
export class Letters {
  private readonly taken = new Map<Typeface, { name: string; used: Map<number, string> }>()
  private readonly readers = new Map<Asian, string>()

  canPrint(said: string): boolean {
    return this.runsOf(said, 400).every(({ kind }) => kind !== 'none')
  }

  /** `font` is the document's own, for the letters of western Europe. */
  at(x: number, y: number, said: string, size: number, font = 'F1', weight: Weight = 400): string {
    const parts = this.runsOf(said, weight).map((run) => this.write(run, size, font))
    return `BT ${x} ${y} Td ${parts.join(' ')} ET`
  }

  /** Objects from number `first` on, and what a page calls them. */
  fonts(first: number): { named: string; objects: string[] } {
    const objects: string[] = []
    let named = ''
    for (const [face, { name, used }] of this.taken) {
      named += ` /${name} ${first + objects.length} 0 R`
      objects.push(...face.objects(first + objects.length, used, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[Number(name.slice(1))]!.repeat(6)))
    }
    for (const [reader, name] of this.readers) {
      const at = first + objects.length
      const { font, ordering, supplement, encoding } = asian[reader]
      named += ` /${name} ${at} 0 R`
      objects.push(
        `<< /Type /Font /Subtype /Type0 /BaseFont /${font}-${encoding} /Encoding /${encoding} /DescendantFonts [${at + 1} 0 R] >>`,
        `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /${font} /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement ${supplement} >> /DW 1000 /FontDescriptor ${at + 2} 0 R >>`,
        `<< /Type /FontDescriptor /FontName /${font} /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 737 /StemV 58 >>`,
      )
    }
    return { named, objects }
  }

  private write(run: Run, size: number, font: string): string {
    if (run.kind === 'base') return `/${font} ${size} Tf (${run.text.replace(/[\\()]/g, '\\$&')}) Tj`
    if (run.kind === 'face') {
      const { name, used } = this.faceOf(run.face)
      const glyphs = [...run.text].map((letter) => {
        const glyph = run.face.glyphs.get(letter.codePointAt(0)!)!
        used.set(glyph, letterOf(letter))
        return glyph
      })
      return `/${name} ${size} Tf <${hex(glyphs)}> Tj`
    }
    if (run.kind === 'none') {
      // A text that is searched or copied has the real letters.
      const shown = `[${scriptOf(run.text)}]${run.text.endsWith(' ') ? ' ' : ''}`
      return `/Span << /ActualText <feff${utf16(run.text)}> >> BDC /${font} ${size} Tf (${shown}) Tj EMC`
    }
    const name = this.readers.get(run.kind) ?? `A${this.readers.size}`
    this.readers.set(run.kind, name)
    return `/${name} ${size} Tf <${utf16(run.text)}> Tj`
  }

  private faceOf(face: Typeface) {
    const taken = this.taken.get(face) ?? { name: `R${this.taken.size}`, used: new Map<number, string>() }
    this.taken.set(face, taken)
    return taken
  }

  private runsOf(said: string, weight: Weight): Run[] {
    const text = cleaned(said)
    if (isWestern(text)) return [{ kind: 'base', text }]
    const reader: Asian = /\p{scx=Hang}/u.test(text) ? 'Korean' : /[\p{sc=Hira}\p{sc=Kana}]/u.test(text) ? 'Japanese' : 'Chinese'
    const isDrawn = canBeJoined(text)
    const runs: Run[] = []
    for (const letter of isDrawn && isFromTheRight(text) ? fromTheRight(text) : text) {
      const run: Run = !isDrawn && isFromTheRight(letter) ? { kind: 'none', text: letter } : runOf(letter, reader, weight)
      const last = runs.at(-1)
      const joins =
        last && (last.kind === 'none' ? letter === ' ' || run.kind === 'none' : last.kind === run.kind && faceIn(last) === faceIn(run))
      if (joins) last.text += letter
      else runs.push(run)
    }
    return runs
  }
}

const faceIn = (run: Run) => (run.kind === 'face' ? run.face : null)
function runOf(letter: string, reader: Asian, weight: Weight): Run {
  // Latin letters too: a name that mixes two typefaces looks broken.
  const face = facesOf(weight).find(({ glyphs }) => glyphs.has(letter.codePointAt(0)!))
  if (face) return { kind: 'face', face, text: letter }
  if (WIDE.test(letter)) return { kind: reader, text: letter }
  return { kind: isWestern(letter) ? 'base' : 'none', text: letter }
}
