import { assemble, streamOf } from './file.ts'
import { Letters, NOT_PRINTED } from './letters.ts'

const LINES_A_PAGE = 58

/** A plain document of lines in one typeface, so that its columns need no measuring. */
export function pdfOf(title: string, said: string[]): Buffer {
  const letters = new Letters()
  const lines = said.every((line) => letters.canPrint(line)) ? said : [...said, '', NOT_PRINTED]
  const pages: string[][] = []
  for (let at = 0; at === 0 || at < lines.length; at += LINES_A_PAGE) pages.push(lines.slice(at, at + LINES_A_PAGE))
  const contents = pages.map((page, n) =>
    [
      letters.at(48, 800, title, 13),
      ...page.flatMap((line, row) => columnsOf(line).map(({ text, at }) => letters.at(48 + at * 5.4, 772 - row * 12.5, text, 9))),
      letters.at(48, 30, `${n + 1} of ${pages.length}`, 8),
    ].join('\n'),
  )
  const fonts = letters.fonts(4 + pages.length * 2)
  const kids = pages.map((_, n) => `${4 + n * 2} 0 R`).join(' ')
  return assemble([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>',
    ...contents.flatMap((content, n) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R${fonts.named} >> >> /Contents ${5 + n * 2} 0 R >>`,
      streamOf(content),
    ]),
    ...fonts.objects,
  ])
}

/** Each column at its own place: a letter of another typeface is not as wide as the rest. */
function columnsOf(line: string): { text: string; at: number }[] {
  let at = 0
  return line.split(/(?<= {2})(?=\S)/).map((text) => {
    const column = { text, at }
    at += text.length
    return column
  })
}
