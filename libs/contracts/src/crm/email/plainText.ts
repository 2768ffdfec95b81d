import type { EmailBlock, EmailDocument } from './document.ts'
import { type Inline, paragraphsOf, safeUrl } from './inline.ts'
import { type LinkMark, networkNames } from './layout.ts'

/** The plain part of an email, from the same blocks. */
export function plainTextOf(document: EmailDocument, leave: { unsubscribe: string; preferences: string }, mark: LinkMark): string {
  const blocks = [...document.blocks.filter(({ kind }) => kind !== 'footer'), ...document.blocks.filter(({ kind }) => kind === 'footer')]
  const parts = blocks.map((block) => plainBlock(block, mark)).filter(Boolean)
  return [...parts, `Unsubscribe: ${leave.unsubscribe}\nEmail preferences: ${leave.preferences}`].join('\n\n')
}

function plainBlock(block: EmailBlock, mark: LinkMark): string {
  const linked = (label: string, url: string) => {
    const to = safeUrl(url)
    return to ? `${label}: ${mark(to)}` : label
  }
  switch (block.kind) {
    case 'heading':
      return block.text
    case 'text':
      return plainWords(block.text, mark)
    case 'image':
      return block.link ? linked(block.alt || 'Image', block.link) : block.alt
    case 'button':
      return linked(block.label, block.url)
    case 'divider':
      return '---'
    case 'spacer':
      return ''
    case 'product': {
      const title = [block.title, block.price].filter(Boolean).join(', ')
      return [title, plainWords(block.text, mark), linked(block.label, block.url)].filter(Boolean).join('\n')
    }
    case 'columns':
      return block.columns
        .flat()
        .map((part) => plainBlock(part, mark))
        .filter(Boolean)
        .join('\n\n')
    case 'social':
      return block.links
        .filter(({ url }) => safeUrl(url))
        .map(({ network, url }) => linked(networkNames[network], url))
        .join('\n')
    case 'footer':
      return [plainWords(block.text, mark), [block.name, block.address].filter(Boolean).join(' · ')].filter(Boolean).join('\n')
  }
}

const plainWords = (text: string, mark: LinkMark) =>
  paragraphsOf(text)
    .map(({ kind, parts }, at, all) => {
      const said = parts.map((part) => plainInline(part, mark)).join('')
      const close = kind === 'item' && all[at + 1]?.kind === 'item'
      return `${kind === 'item' ? '- ' : ''}${said}${at === all.length - 1 ? '' : close ? '\n' : '\n\n'}`
    })
    .join('')

function plainInline(part: Inline, mark: LinkMark): string {
  if (part.kind === 'break') return '\n'
  if (part.kind === 'text') return part.text
  const label = part.label.map((inner) => plainInline(inner, mark)).join('')
  const to = safeUrl(part.url)
  return to ? `${label} (${mark(to)})` : label
}
