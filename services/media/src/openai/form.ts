import { DomainError } from '@operon/kit/errors'

export type Form = { fields: Record<string, string>; files: Record<string, Uint8Array[]> }
const MOST_PARTS = 40

/** The fields and files of a multipart body, which the contract has bounded. A name that ends with `[]` is the same without it. */
export async function formOf(body: unknown, type: string | undefined): Promise<Form> {
  if (!type?.startsWith('multipart/form-data'))
    throw new DomainError('invalid', { status: 415, message: 'The body is sent as multipart/form-data.' })
  let found: FormData
  try {
    found = await new Response(new Uint8Array(body as Uint8Array), { headers: { 'content-type': type } }).formData()
  } catch (cause) {
    throw new DomainError('invalid', { message: 'The form could not be read.', cause })
  }
  const form: Form = { fields: {}, files: {} }
  let parts = 0
  for (const [given, value] of found) {
    if (++parts > MOST_PARTS) throw new DomainError('invalid', { message: `A form has at most ${MOST_PARTS} parts.` })
    const name = given.replace(/\[\]$/, '')
    if (typeof value === 'string') form.fields[name] = value
    else form.files[name] = [...(form.files[name] ?? []), new Uint8Array(await value.arrayBuffer())]
  }
  return form
}
