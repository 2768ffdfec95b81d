const LINES_A_PAGE = 58

/** A plain document of lines in one typeface: text, pages and nothing else, so that no program for it is needed. */
export function pdfOf(title: string, said: string[]): Buffer {
  const lines = said.every(isPrintable) ? said : [...said, '', CANNOT_PRINT]
  const pages: string[][] = []
  for (let at = 0; at === 0 || at < lines.length; at += LINES_A_PAGE) pages.push(lines.slice(at, at + LINES_A_PAGE))
  const objects: string[] = []
  const kids = pages.map((_, n) => `${4 + n * 2} 0 R`).join(' ')
  objects.push('<< /Type /Catalog /Pages 2 0 R >>')
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`)
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>')
  for (const [n, page] of pages.entries()) {
    const heading = `BT /F1 13 Tf 48 800 Td (${escaped(title)}) Tj ET`
    const text = page.map((line, row) => `BT /F1 9 Tf 48 ${772 - row * 12.5} Td (${escaped(line)}) Tj ET`).join('\n')
    const number = `BT /F1 8 Tf 48 30 Td (${n + 1} of ${pages.length}) Tj ET`
    const content = [heading, text, number].join('\n')
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + n * 2} 0 R >>`,
    )
    objects.push(`<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`)
  }
  return assemble(objects)
}

const plain: Record<string, string> = { ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ı: 'i', '’': "'", '‘': "'", '“': '"', '”': '"', '–': '-', '—': '-' }
/** The typefaces have the letters of western Europe: other Latin letters lose their accents rather than become question marks. */
const latin = (said: string) =>
  [...said.normalize('NFC')]
    .map((letter) => (letter <= 'ÿ' ? letter : (plain[letter] ?? letter.normalize('NFKD').replace(/\p{M}/gu, ''))))
    .join('')
const OTHERS = /[^\x20-\x7e\xa0-\xff]/g

/** The letters of one byte; any other becomes a question mark rather than a wrong letter. */
export const escaped = (text: string) =>
  latin(text)
    .replace(OTHERS, '?')
    .replace(/[\\()]/g, '\\$&')
export const isPrintable = (text: string) => latin(text).search(OTHERS) < 0
export const CANNOT_PRINT =
  'A "?" in a name stands for a letter that this document cannot print. The account and the order have it in full.'

export function assemble(objects: string[]): Buffer {
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, n) => {
    const at = body.length
    body += `${n + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(`${body}xref\n0 ${size}\n0000000000 65535 f \n${table}${trailer}`, 'latin1')
}
