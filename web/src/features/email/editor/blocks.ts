import type { Block, Part } from '../queries.ts'

export type Kind = Block['kind']
export const kindNames: Record<Kind, string> = {
  heading: 'Heading',
  text: 'Text',
  image: 'Picture',
  button: 'Button',
  divider: 'Line',
  spacer: 'Space',
  product: 'Product',
  columns: 'Columns',
  social: 'Social links',
  footer: 'Footer',
}
export const partKinds = ['heading', 'text', 'image', 'button', 'product', 'divider', 'spacer'] as const satisfies readonly Part['kind'][]
export const blockKinds = [...partKinds, 'columns', 'social', 'footer'] as const satisfies readonly Kind[]
export const MOST_BLOCKS = 60
export const MOST_PARTS = 8

const newId = () => crypto.randomUUID()
export function newPart(kind: Part['kind']): Part {
  const id = newId()
  switch (kind) {
    case 'heading':
      return { kind, id, text: 'A new heading', level: 2, align: 'left' }
    case 'text':
      return { kind, id, text: '', align: 'left' }
    case 'image':
      return { kind, id, url: '', alt: '', link: '', width: 100, align: 'center' }
    case 'button':
      return { kind, id, label: 'Read more', url: '', align: 'left' }
    case 'divider':
      return { kind, id }
    case 'spacer':
      return { kind, id, height: 24 }
    case 'product':
      return { kind, id, title: '', text: '', price: '', image: '', url: '', label: 'View' }
  }
}
export function newBlock(kind: Kind): Block {
  const id = newId()
  if (kind === 'columns') return { kind, id, columns: [[newPart('text')], [newPart('text')]] }
  if (kind === 'social') return { kind, id, links: [{ network: 'website', url: '' }], align: 'center' }
  if (kind === 'footer') return { kind, id, name: '', address: '', text: '' }
  return newPart(kind)
}
/** The same again, under ids of its own. */
export const copyOf = <B extends Block>(block: B): B =>
  block.kind === 'columns'
    ? { ...block, id: newId(), columns: block.columns.map((parts) => parts.map((part) => ({ ...part, id: newId() }))) }
    : { ...block, id: newId() }

/** The summary of a closed block. */
export function brief(block: Block): string {
  switch (block.kind) {
    case 'heading':
    case 'text':
      return block.text.replace(/\s+/g, ' ').slice(0, 80)
    case 'button':
      return block.label
    case 'image':
      return block.alt || block.url
    case 'product':
      return block.title
    case 'spacer':
      return `${block.height} px`
    case 'columns':
      return block.columns.map((parts) => parts.length).join(' | ')
    case 'social':
      return block.links.map(({ network }) => network).join(', ')
    case 'footer':
      return [block.name, block.address].filter(Boolean).join(', ')
    default:
      return ''
  }
}

export const moved = <T>(list: readonly T[], from: number, to: number): T[] => {
  const next = [...list]
  next.splice(Math.min(list.length - 1, Math.max(0, to)), 0, ...next.splice(from, 1))
  return next
}
