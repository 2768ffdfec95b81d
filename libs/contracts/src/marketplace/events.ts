import { z } from 'zod'
import { SaleKind } from '../billing/selling.ts'
import { event, personal, request } from '../contract.ts'

/** The owner of a storefront's address: for the page's title, and for its status when it is nobody's. */
export const storefrontOwner = request(
  'marketplace.storefront_owner',
  z.object({ slug: z.string() }),
  z.object({ name: z.string() }).nullable(),
)

/** Gives the person who asks an address for what they show, and their name there. Asking again answers the same. */
export const claimSlug = request('marketplace.claim_slug', z.object({}), z.object({ slug: z.string(), name: z.string() }))

/** A buyer has what they paid for. The seller's share leaves the hold a week later. */
export const orderDelivered = event('marketplace.order_delivered', z.object({ kind: SaleKind, reference: z.uuid(), seller_id: z.uuid() }))
/** The address of a storefront: claimed once, and told to whoever shows it. */
export const profileChanged = event('marketplace.profile_changed', z.object({ slug: personal(z.string()).nullable(), version: z.int() }))
