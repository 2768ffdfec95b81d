import type { Envelope, Payload } from '@operon/contracts/contract'
import type { demoCreated } from '@operon/contracts/identity/events'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import type { Transaction } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'
import { LIBRARY_SELLER } from '../templates/seed.ts'

const products = [
  {
    title: 'Lead qualification',
    description: 'Asks the five questions, scores the answers and offers a meeting.',
    category: 'Marketing',
    price_cents: 4900,
    item_type: 'workflow',
  },
  {
    title: 'Invoice reminders that stay polite',
    description: 'Three emails in two weeks, then a list of whom to call.',
    category: 'Finance',
    price_cents: 1900,
    item_type: 'template',
  },
]

// A demo has no address, so that nothing is ever sent for them.
const searches = [
  { q: 'lead', category: 'Marketing', mails: false },
  { q: '', category: 'Support', mails: false },
]

type Trx = Transaction<MarketplaceDb & KitDb>

/** The products of a seller's demo, as drafts: what is active is public, and a demo is its visitor's own. A buyer's has saved products and searches. */
export async function seedDemo(trx: Trx, { user_id, payload }: Envelope<Payload<typeof demoCreated>>): Promise<void> {
  if (!user_id) return
  if (payload.portal === 'buyer') return seedBuyer(trx, user_id)
  await trx
    .insertInto('items')
    .values(products.map((product) => ({ id: newId(), user_id, is_active: false, ...product })))
    .execute()
}

/** Templates of this site: a visitor who looks around must not count among a seller's visitors or wishes. */
async function seedBuyer(trx: Trx, user_id: string): Promise<void> {
  const library = trx.selectFrom('items').select('id').where('user_id', '=', LIBRARY_SELLER).where('is_active', '=', true)
  const liked = await library.orderBy('title').limit(3).execute()
  if (liked.length)
    await trx
      .insertInto('wishlist')
      .values(liked.map(({ id }) => ({ user_id, item_id: id })))
      .execute()
  await trx
    .insertInto('saved_searches')
    .values(searches.map((search) => ({ id: newId(), user_id, ...search })))
    .execute()
}
