import type { Envelope, Payload } from '@operon/contracts/contract'
import type { demoCreated } from '@operon/contracts/identity/events'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import type { Transaction } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'

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

/** The products of a visitor's demo, as drafts: what is active is public, and a demo is its visitor's own. */
export async function seedDemo(
  trx: Transaction<MarketplaceDb & KitDb>,
  { user_id, payload }: Envelope<Payload<typeof demoCreated>>,
): Promise<void> {
  if (!user_id || payload.portal !== 'seller') return
  await trx
    .insertInto('items')
    .values(products.map((product) => ({ id: newId(), user_id, is_active: false, ...product })))
    .execute()
}
