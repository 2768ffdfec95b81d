import { z } from 'zod'
import { LARGEST_PRICE_CENTS, SMALLEST_PRICE_CENTS } from '../billing/rates.ts'
import { changing, col, id, oneLine, reading, text, time } from '../contract.ts'
import { TemplateManifest } from './manifest.ts'

// A seller's products: the list, the editor, versions with their files, and the way from draft to sale and back.

export const ProductStatus = z.enum(['draft', 'active', 'archived'])
export const ProductKind = z.enum(['template', 'file', 'prompt_pack', 'service'])
export const item_id = id('item')
export const price_cents = z
  .int()
  .min(SMALLEST_PRICE_CENTS, 'The smallest price is $2.00, so that the card’s fee leaves something.')
  .max(LARGEST_PRICE_CENTS)

/** A line beside those of other sellers: nothing in it turns or hides what stands there. */
export const shown = (most: number, missing?: string) => oneLine(most).min(1, missing)

const priced = { price_cents: z.int(), currency: z.string() }

/** The specified fields of a product in a seller's list, and what the list shows beside them. */
export const ProductRow = z.object({
  id: z.uuid(),
  name: z.string(),
  description: z.string(),
  category: z.string(),
  price: z.number(),
  ...priced,
  sales: z.int(),
  /** Conversations about it that the seller has not read. */
  messages: z.int(),
  status: ProductStatus,
  /** The mean of its reviews, from 1 to 5; null until the first. */
  rating: z.number().nullable(),
  image: z.string().nullable(),
  kind: ProductKind,
  item_type: z.string(),
  /** The path of its public page; null while nobody can see it. */
  path: z.string().nullable(),
  /** Edited since it was published. */
  changed: z.boolean(),
  /** Taken down by staff. */
  suspended: z.boolean(),
  updated_at: time,
})
const rowExample: z.output<typeof ProductRow> = {
  id: '0190a1b2-0000-7000-8000-000000000005',
  name: 'Lead qualification',
  description: 'Five questions.',
  category: 'Marketing',
  price: 49,
  price_cents: 4900,
  currency: 'usd',
  sales: 12,
  messages: 0,
  status: 'active',
  rating: null,
  image: null,
  kind: 'template',
  item_type: 'workflow',
  path: '/marketplace/ann/lead-qualification',
  changed: false,
  suspended: false,
  updated_at: '2026-11-20T10:00:00.000Z',
}

export const listProducts = reading('list-products', {
  summary: "Lists the person's own products, the newest change first",
  description:
    'Drafts, active and archived ones, or those of one state, and those with a part of a word in their name. One or two letters are looked for in the 2,000 that changed last.',
  body: z
    .object({ status: ProductStatus.optional(), q: z.string().trim().max(100).default(''), after: z.string().max(200).default('') })
    .prefault({}),
  reply: z.object({
    products: z.array(ProductRow),
    next: z.string().nullable(),
    /** How many there are in each state. */
    counts: z.object({ draft: z.int(), active: z.int(), archived: z.int() }),
  }),
  example: { request: {}, reply: { products: [rowExample], next: null, counts: { draft: 0, active: 1, archived: 0 } } },
  errors: [],
  action: {
    title: 'List my products',
    when: 'The person asks about the products they sell, their prices, sales or ratings',
    effect: 'reads',
    evidence: {
      rows: 'products',
      columns: { name: col.text('Product'), price_cents: col.cents('Price'), status: col.text('Status'), sales: col.count('Sales') },
    },
  },
})

export const ProductFile = z.object({
  file_id: z.uuid(),
  name: z.string(),
  bytes: z.int(),
  type: z.string(),
  scan: z.enum(['none', 'clean', 'infected']),
})
const version = { number: z.int(), notes: z.string(), activation_limit: z.int().nullable(), files: z.array(ProductFile) }

/** Everything that the editor shows. `next` is what the next publication makes of it. */
export const Product = z.object({
  id: z.uuid(),
  title: z.string(),
  summary: z.string(),
  description: z.string(),
  category: z.string(),
  item_type: z.string(),
  kind: ProductKind,
  ...priced,
  slug: z.string().nullable(),
  licence_terms: z.string(),
  images: z.array(z.object({ file_id: z.uuid(), name: z.string() })),
  status: ProductStatus,
  path: z.string().nullable(),
  changed: z.boolean(),
  /** Why staff took it down, or null. */
  suspended_because: z.string().nullable(),
  next: z.object({ ...version, manifest: TemplateManifest.nullable() }),
  /** Published versions, the newest first; at most 50. */
  versions: z.array(z.object({ ...version, ...priced, published_at: time, on_sale: z.boolean() })),
  /** The requirements that are missing before it can be published, a sentence each. */
  missing: z.array(z.string()),
  /** Whether this installation looks for malware in files. */
  scans_files: z.boolean(),
  updated_at: time,
})
export const readProduct = reading('read-product', {
  summary: 'One product of the person with its versions and files, as the editor shows it',
  body: z.object({ item_id }),
  reply: Product,
})

const fields = {
  title: shown(120, 'A product needs a name.'),
  summary: text(300),
  description: text(10_000),
  category: shown(60, 'Choose a category.'),
  item_type: shown(40),
  kind: ProductKind,
  price_cents,
  slug: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,79}$/, 'Use small letters, digits and hyphens.')
    .nullable(),
  licence_terms: text(10_000),
  /** Files of the person's own, in the order in which they are shown. */
  image_ids: z.array(z.uuid()).max(8),
  notes: text(5_000),
  activation_limit: z.int().min(1).max(1_000).nullable(),
  manifest: TemplateManifest.nullable(),
}
/** Texts and pictures show at once; price, terms, files and keys are those of the version on sale until the next publication. */
export const updateProduct = changing('update-product', {
  summary: 'Changes a product: texts and pictures at once, what buyers get and pay when it is published again',
  body: z
    .object({ item_id, ...fields })
    .partial()
    .required({ item_id: true }),
  reply: Product,
  errors: ['not_found', 'slug_taken', 'file_not_yours'],
})
export const attachProductFile = changing('attach-product-file', {
  summary: 'Adds an uploaded file to the next version of a product',
  body: z.object({ item_id, file_id: id('upload') }),
  reply: Product,
  errors: ['not_found', 'file_not_yours', 'file_forbidden', 'file_infected', 'too_many_files'],
})
export const detachProductFile = changing('detach-product-file', {
  summary: 'Takes a file out of the next version of a product; buyers of earlier versions keep it',
  body: z.object({ item_id, file_id: id('upload') }),
  reply: Product,
  errors: ['not_found'],
})
export const changeProductPrice = changing('change-product-price', {
  summary: 'Changes the price of a product',
  description: 'A product on sale costs the new price at once. Past purchases are not affected.',
  body: z.object({ item_id, price_cents }),
  reply: z.object({ item_id: z.uuid(), ...priced, on_sale: z.boolean() }),
  example: {
    request: { item_id: '0190a1b2-0000-7000-8000-000000000005', price_cents: 5900 },
    reply: { item_id: '0190a1b2-0000-7000-8000-000000000005', price_cents: 5900, currency: 'usd', on_sale: true },
  },
  errors: ['not_found'],
  action: {
    title: 'Change the price of a product',
    when: 'The person wants a product of theirs to cost more or less',
    effect: 'changes',
    does: ({ price_cents }) => `Changes the price to $${(price_cents / 100).toFixed(2)}, at once where the product is on sale`,
  },
})

const moved = z.object({
  moved: z.array(z.uuid()),
  /** Those that stayed, and why. */
  refused: z.array(z.object({ item_id: z.uuid(), reason: z.string() })),
})
const item_ids = z.array(item_id).min(1).max(50)
/** `restore` brings back what was archived: on sale again where it was on sale, else as a draft. */
export const moveProducts = changing('move-products', {
  summary: 'Publishes, archives or restores several products at once',
  body: z.object({ item_ids, to: z.enum(['publish', 'archive', 'restore']) }),
  reply: moved,
})
export const duplicateProduct = changing('duplicate-product', {
  summary: 'Makes a draft like a product, with the same texts, pictures and files',
  body: z.object({ item_id }),
  reply: z.object({ item_id: z.uuid() }),
  errors: ['not_found', 'too_many_products'],
})
export const deleteProducts = changing('delete-products', {
  summary: 'Deletes drafts that nobody has bought',
  body: z.object({ item_ids }),
  reply: moved,
})
