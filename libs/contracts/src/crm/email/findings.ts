import type { EmailBlock, EmailDocument, EmailPart } from './document.ts'
import { paragraphsOf, safeUrl } from './inline.ts'
import { fieldsIn, mergeFields } from './merge.ts'
import { renderEmail } from './render.ts'

// Findings that a reader or a spam filter would object to. No zod here: the editor runs it on each keystroke.

/** `stops`: it cannot be sent so. `warns`: it can, but should not. */
export type Finding = { code: FindingCode; level: 'stops' | 'warns'; text: string; block_id: string | null }
export type FindingCode =
  | 'subject_missing'
  | 'subject_long'
  | 'subject_shouts'
  | 'subject_spam'
  | 'preview_missing'
  | 'content_missing'
  | 'content_short'
  | 'pictures_alone'
  | 'alt_missing'
  | 'link_missing'
  | 'link_unsafe'
  | 'link_short'
  | 'link_broken'
  | 'link_unchecked'
  | 'field_broken'
  | 'field_unknown'
  | 'field_empty'
  | 'address_missing'
  | 'unsubscribe_missing'
  | 'size'
  | 'domain'

/** Gmail cuts an email here, and the unsubscribe link at its end with it. */
export const CUT_AT_BYTES = 102_000
const LONG_SUBJECT = 60
/** Phrases that spam filters score. */
const SPAM =
  /\b(act now|buy direct|cash bonus|click here|congratulations|double your|earn \$|easy money|free money|100% free|guaranteed|limited time only|make money|no obligation|order now|prize|risk[- ]free|urgent|winner|you have been selected)\b/i
const SHORTENERS = new Set(['bit.ly', 'buff.ly', 'cutt.ly', 'goo.gl', 'is.gd', 'ow.ly', 'rb.gy', 't.co', 'tiny.cc', 'tinyurl.com'])
const known = new Set<string>(mergeFields.map(({ name }) => name))

export function findingsOf(subject: string, document: EmailDocument): Finding[] {
  const found: Finding[] = []
  const say = (code: FindingCode, text: string, block: { id: string } | null = null, level: Finding['level'] = 'warns') =>
    found.push({ code, level, text, block_id: block?.id ?? null })
  subjectOf(subject, say)
  const all = document.blocks.flatMap((block): Part[] => (block.kind === 'columns' ? [block, ...block.columns.flat()] : [block]))
  if (!document.preview.trim()) say('preview_missing', 'There is no preview line. Inboxes show the first words of the email instead.')
  if (!all.some(({ kind }) => kind !== 'footer' && kind !== 'divider' && kind !== 'spacer'))
    say('content_missing', 'The email has no content yet.', null, 'stops')
  for (const block of all) blockOf(block, say)
  for (const text of [subject, document.preview]) fieldsOf(text, null, say)
  contentOf(all, say)
  const foot = document.blocks.find((block) => block.kind === 'footer')
  if (!(foot?.kind === 'footer' && foot.name.trim() && foot.address.trim()))
    say(
      'address_missing',
      'The footer does not say who sends this and from which postal address. Laws on marketing email ask for both.',
      foot ?? null,
    )
  const { html, bytes } = renderedOf(document)
  if (!html.includes(MARK)) say('unsubscribe_missing', 'There is no unsubscribe link.', null, 'stops')
  if (bytes > CUT_AT_BYTES)
    say('size', `The email is ${Math.round(bytes / 1000)} kB. Gmail cuts it at ${CUT_AT_BYTES / 1000} kB, with the unsubscribe link.`)
  return found
}

type Part = EmailBlock | EmailPart
type Say = (code: FindingCode, text: string, block?: { id: string } | null, level?: Finding['level']) => void

const MARK = 'https://unsubscribe.example/'
/** As it goes out, but for the addresses of its links, which are longer there. */
export function renderedOf(document: EmailDocument): { html: string; bytes: number } {
  const { html } = renderEmail(document, {}, { unsubscribe: MARK, preferences: 'https://preferences.example/' })
  return { html, bytes: new TextEncoder().encode(html).length }
}

function subjectOf(subject: string, say: Say): void {
  const words = subject.trim()
  if (!words) {
    say('subject_missing', 'The email has no subject yet.', null, 'stops')
    return
  }
  if (words.length > LONG_SUBJECT) say('subject_long', `The subject has ${words.length} characters. Phones show about ${LONG_SUBJECT}.`)
  const letters = words.replace(/\{\{.*?\}\}/g, '').replace(/\P{L}/gu, '')
  const capitals = letters.replace(/\P{Lu}/gu, '').length
  if ((letters.length > 9 && capitals / letters.length > 0.6) || /!!|\?\?|!\?/.test(words))
    say('subject_shouts', 'The subject shouts. Filters and readers trust plain sentences more.')
  const spam = SPAM.exec(words)
  if (spam) say('subject_spam', `Spam filters look for “${spam[0]}” in a subject.`)
}

function blockOf(block: Part, say: Say): void {
  for (const text of textsOf(block)) fieldsOf(text, block, say)
  for (const url of urlsOf(block)) linkOf(url, block, say)
  if (block.kind === 'image' && block.url.trim() && !block.alt.trim())
    say('alt_missing', 'A picture has no description. Many email apps hide pictures at first, and some readers cannot see them.', block)
  if (block.kind === 'image' && !block.url.trim()) say('link_missing', 'A picture has no address, so nothing is shown.', block)
  if (block.kind === 'button' && !block.url.trim()) say('link_missing', `The button “${block.label}” leads nowhere.`, block)
  if (block.kind === 'product' && !block.url.trim()) say('link_missing', `The product “${block.title}” leads nowhere.`, block)
}

function linkOf(url: string, block: { id: string }, say: Say): void {
  const to = safeUrl(url)
  if (!to) say('link_unsafe', `“${url.slice(0, 80)}” does not begin with https://, so the link is left out.`, block)
  else if (URL.canParse(to) && SHORTENERS.has(new URL(to).hostname))
    say('link_short', `Filters distrust short links. Use the full address instead of ${to.slice(0, 80)}.`, block)
}

function fieldsOf(text: string, block: { id: string } | null, say: Say): void {
  const { fields, broken } = fieldsIn(text)
  if (broken) say('field_broken', `A merge field is mistyped: ${text.slice(Math.max(0, text.search(/\{\{|\}\}/)), 60)}`, block)
  for (const { name, fallback } of fields) {
    if (!known.has(name)) say('field_unknown', `Contacts have no field “${name}”.`, block)
    else if (fallback === null && name !== 'email')
      say('field_empty', `Some contacts have no ${name.replaceAll('_', ' ')}. Give “${name}” a fallback.`, block)
  }
}

function contentOf(all: Part[], say: Say): void {
  const pictures = all.filter(({ kind }) => kind === 'image').length
  const letters = all.flatMap((block) => (block.kind === 'footer' ? [] : textsOf(block))).join('').length
  if (pictures > 0 && letters < 100)
    say('pictures_alone', 'The email is mostly pictures. Spam filters, and readers with pictures off, see almost nothing.')
  else if (pictures === 0 && letters > 0 && letters < 20) say('content_short', 'The email has hardly any words.')
}

function textsOf(block: Part): string[] {
  switch (block.kind) {
    case 'heading':
    case 'text':
      return [block.text]
    case 'button':
      return [block.label]
    case 'product':
      return [block.title, block.text, block.price, block.label]
    case 'footer':
      return [block.text, block.name, block.address]
    default:
      return []
  }
}

/** Where the parts of a block lead, those of its texts among them; what was left empty is not there. */
export function urlsOf(block: Part): string[] {
  const own =
    block.kind === 'button' || block.kind === 'product'
      ? [block.url]
      : block.kind === 'image'
        ? [block.link]
        : block.kind === 'social'
          ? block.links.map(({ url }) => url)
          : []
  const inTexts = textsOf(block).flatMap((text) =>
    paragraphsOf(text).flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'link' ? [part.url] : []))),
  )
  return [...own, ...inTexts].filter((url) => url.trim())
}

/** Every address that somebody can follow, with the block that it stands in. */
export const linksIn = (document: EmailDocument): { url: string; block_id: string }[] =>
  document.blocks
    .flatMap((block) => (block.kind === 'columns' ? block.columns.flat() : [block]))
    .flatMap((block) => urlsOf(block).map((url) => ({ url, block_id: block.id })))
