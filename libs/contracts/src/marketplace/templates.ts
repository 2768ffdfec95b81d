import { z } from 'zod'
import { col, endpoint, id, reading } from '../contract.ts'
import { StorefrontOffer } from './storefront.ts'

// The Template Library: the workflow templates and prompt packs of all sellers, with the free ones of this site.

export const templateChips = ['All', 'Marketing', 'Social Media', 'Support', 'Analytics', 'E-commerce'] as const
export const TemplateChip = z.enum(templateChips)

export const LibraryTemplate = StorefrontOffer.extend({
  kind: z.enum(['template', 'prompt_pack']),
  /** The steps of a workflow; empty for prompt packs. */
  steps: z.array(z.object({ id: z.string(), type: z.string() })),
  /** The apps that it needs connections to. */
  connections: z.array(z.string()),
  /** The path of its file, where it is free. */
  free_path: z.string().nullable(),
})
const example: z.input<typeof LibraryTemplate> = {
  id: '0190a1b2-0000-7000-8000-000000000041',
  key: 'lead-qualification',
  title: 'Lead Qualification',
  summary: 'Scores each new lead by five answers and offers the good ones a meeting.',
  category: 'Marketing',
  item_type: 'workflow',
  price_cents: 0,
  currency: 'usd',
  seller: { slug: 'library', name: 'Studio Library' },
  picture: null,
  rating: null,
  kind: 'template',
  steps: [{ id: 'lead', type: 'trigger.webhook' }],
  connections: ['mailersend'],
  free_path: '/files/v1/marketplace/~free/0190a1b2-0000-7000-8000-000000000041',
}

export const templateLibrary = reading('template-library', {
  summary: 'Lists workflow templates and prompt packs, the newest first',
  description: 'Of all sellers and of this site, narrowed by category and words.',
  body: z
    .object({
      category: TemplateChip.default('All'),
      q: z.string().trim().max(100).default(''),
      after: z.string().max(120).default(''),
    })
    .prefault({}),
  reply: z.object({ templates: z.array(LibraryTemplate), next: z.string().nullable() }),
  example: { request: { category: 'Marketing' }, reply: { templates: [example], next: null } },
  errors: [],
  action: {
    title: 'Find a template',
    when: 'The person looks for a workflow template or a prompt pack',
    effect: 'reads',
    evidence: {
      rows: 'templates',
      columns: { title: col.text('Template'), category: col.text('Category'), price_cents: col.cents('Price') },
    },
  },
})

export const freeDownload = endpoint({
  method: 'GET',
  path: '/files/v1/marketplace/~free/:item',
  access: 'public',
  rate: 'read',
  raw: true,
  params: z.object({ item: id('item') }),
  reply: z.unknown(),
  summary: 'The file of a free product that is on sale',
})
