import { randomUUID } from 'node:crypto'
import type { AllInOne } from '@operon/deploy/all-in-one'

const goods = ['Lead qualification', 'Invoice reminders', 'Support routing', 'Content calendar', 'Meeting scheduler']

/** A seller with things for sale, written to the tables: the address of the storefront, and of one product. */
export async function openStorefront({ services }: AllInOne): Promise<{ storefront: string; product: string }> {
  const { db } = services.marketplace!.rt
  const user_id = randomUUID()
  await db
    .insertInto('profiles')
    .values({ user_id, display_name: 'Mara Lindt Automations', marketplace_slug: 'mara', version: 1, deleted_at: null })
    .execute()
  await db
    .insertInto('items')
    .values(
      Array.from({ length: 9 }, (_, at) => ({
        id: randomUUID(),
        user_id,
        title: `${goods[at % goods.length]} ${at + 1}`,
        description: 'Asks the five questions, scores the answers and offers a meeting. Works with any form.',
        category: 'Marketing',
        price_cents: 1900 + at * 1000,
        item_type: 'Workflow',
        is_active: true,
        slug: `product-${at + 1}`,
      })),
    )
    .execute()
  return { storefront: '/marketplace/mara', product: '/marketplace/mara/product-1' }
}
