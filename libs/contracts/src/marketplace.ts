import { z } from 'zod'
import { id, request, table, time } from './contract.ts'

/** Who a seller is to the world. Marketplace's projection of identity's people; `profiles` is identity's own. */
export const userProfiles = table('user_profiles', {
  access: 'public',
  summary: "One's own profile, or a seller's by the exact slug of their storefront",
  columns: z.object({ user_id: id('user'), display_name: z.string().nullable(), marketplace_slug: z.string().nullable() }),
})

/** Whose storefront an address is: for the page's title, and for its status when it is nobody's. */
export const storefrontOwner = request(
  'marketplace.storefront_owner',
  z.object({ slug: z.string() }),
  z.object({ name: z.string() }).nullable(),
)

export const marketplaceItems = table('marketplace_items', {
  access: 'public',
  summary: 'What is for sale; sellers see their drafts too',
  columns: z.object({
    id: id('item'),
    user_id: z.uuid(),
    title: z.string(),
    description: z.string(),
    category: z.string(),
    price: z.number(),
    item_type: z.string(),
    is_active: z.boolean(),
    created_at: time,
  }),
})
