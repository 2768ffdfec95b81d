/** The objects of a document, numbered from 1, as its file. Each string has one byte a letter. */
export function assemble(objects: string[]): Buffer {
  let body = '%PDF-1.5\n'
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

export const streamOf = (content: string, more = '') =>
  `<< /Length ${Buffer.byteLength(content, 'latin1')}${more} >>\nstream\n${content}\nendstream`
