import { DomainError } from '@operon/kit/errors'

export type Form = { get(name: string): string | null; files: File[] }
export async function formOf(body: unknown, type = ''): Promise<Form> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  try {
    const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
    const of = (name: string) => form.get(name)
    const get = (name: string) => (typeof of(name) === 'string' ? (of(name) as string) : null)
    // Pictures that stand in the text, such as the logo of a signature, are named here and nobody attached them.
    const inline = get('content-id-map') ?? ''
    const attached = [...form].filter(([name, value]) => typeof value !== 'string' && !inline.includes(JSON.stringify(name)))
    return { get, files: attached.map(([, value]) => value as File) }
  } catch {
    throw new DomainError('invalid', { message: 'This is not a form.' })
  }
}

const HEAD_BYTES = 1024
/** The value of a form's first field, of which no more than its beginning is read. */
export function firstField(body: unknown, name: string): string | null {
  if (!Buffer.isBuffer(body)) return null
  const head = /^--[^\r\n]{1,200}\r\ncontent-disposition: form-data; name="([^"\r\n]{1,40})"\r\n\r\n([^\r\n]{20,100})\r\n--/i
  const found = head.exec(body.toString('latin1', 0, HEAD_BYTES))
  return found?.[1] === name ? found[2]! : null
}
