import type { EmailDocument } from './document.ts'
import { escapeHtml } from './inline.ts'
import { pageOf, type Scheme } from './layout.ts'
import { filledIn, type MergeField, type MergeValues, replaceFields } from './merge.ts'
import { plainTextOf } from './plainText.ts'

/** The addresses that are each person's own. `track` turns a link into one that counts its clicks. */
export type EmailLinks = { unsubscribe: string; preferences: string; track?: (url: string) => string; pixel?: string }
export type RenderedEmail = { html: string; text: string }

/**
 * An email for one person. Links and merge fields are marks while the blocks become HTML, so the layout is made once for a document and a
 * person's values cannot become markup: they come last, escaped for the place that they stand in.
 */
export function renderEmail(document: EmailDocument, values: MergeValues, links: EmailLinks, scheme?: Scheme): RenderedEmail {
  const { html, text, fields, urls } = layoutOf(document, scheme)
  const said = fields.map((field) => filledIn(field, values))
  const inUrl = (url: string) => url.replace(FIELD_MARK, (_, at) => encodeURIComponent(said[Number(at)]!))
  const own: Record<string, string> = { U: links.unsubscribe, P: links.preferences, X: links.pixel ?? '' }
  const targets = urls.map((url) => {
    const full = inUrl(url)
    return links.track && /^https?:/i.test(full) ? links.track(full) : full
  })
  const fill = (template: string, inPlace: (value: string) => string) =>
    template.replace(MARK, (_, kind: string, at: string) =>
      inPlace(kind === 'F' ? said[Number(at)]! : kind === 'L' ? targets[Number(at)]! : own[kind]!),
    )
  const page = links.pixel ? html : html.replace(/<img src="\uE000X0\uE001"[^>]*>/, '')
  return { html: fill(page, escapeHtml), text: fill(text, (value) => value) }
}

const MARK = /\uE000([FLUPX])(\d+)\uE001/g
const FIELD_MARK = /\uE000F(\d+)\uE001/g

type Layout = RenderedEmail & { fields: MergeField[]; urls: string[] }
const made = new WeakMap<EmailDocument, Map<string, Layout>>()
function layoutOf(document: EmailDocument, scheme: Scheme | undefined): Layout {
  const known = made.get(document) ?? new Map<string, Layout>()
  made.set(document, known)
  const found = known.get(scheme ?? '')
  if (found) return found
  const fields: MergeField[] = []
  const urls: string[] = []
  const marked = withMarks(document, fields)
  const mark = (url: string) => `\uE000L${urls.indexOf(url) >= 0 ? urls.indexOf(url) : urls.push(url) - 1}\uE001`
  const leave = { unsubscribe: '\uE000U0\uE001', preferences: '\uE000P0\uE001' }
  const heading = marked.blocks.find((block) => block.kind === 'heading')
  const html = pageOf(marked, { subject: heading?.kind === 'heading' ? heading.text : '', leave, pixel: '\uE000X0\uE001', mark, scheme })
  const layout = { html, text: plainTextOf(marked, leave, mark), fields, urls }
  known.set(scheme ?? '', layout)
  return layout
}

/** Every string of the document, with a mark in the place of each merge field. A mark that somebody typed is none. */
function withMarks(document: EmailDocument, fields: MergeField[]): EmailDocument {
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string')
      return replaceFields(value.replace(/[\uE000\uE001]/g, ''), (field) => `\uE000F${fields.push(field) - 1}\uE001`)
    if (Array.isArray(value)) return value.map(walk)
    if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]))
    return value
  }
  return walk(document) as EmailDocument
}

/** The blocks of a plain text, as an assistant writes one. */
export const documentOf = (text: string, sender: { name: string; address: string } = { name: '', address: '' }): EmailDocument => ({
  version: 1,
  preview: '',
  theme: { accent: '#456a00', font: 'sans', frame: 'panel' },
  blocks: [
    { kind: 'text', id: 'text', text: text.slice(0, 8000), align: 'left' },
    { kind: 'footer', id: 'footer', name: sender.name.slice(0, 120), address: sender.address.slice(0, 300), text: '' },
  ],
})
