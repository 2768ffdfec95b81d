import { z } from 'zod'
import { request } from '../contract.ts'

/** The owner of a storefront's address: for the page's title, and for its status when it is nobody's. */
export const storefrontOwner = request(
  'marketplace.storefront_owner',
  z.object({ slug: z.string() }),
  z.object({ name: z.string() }).nullable(),
)
