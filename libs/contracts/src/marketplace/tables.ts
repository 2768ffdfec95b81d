import { z } from 'zod'
import { id, table, time } from '../contract.ts'

/** A seller's public profile. Marketplace's projection of identity's people; `profiles` is identity's own. */
export const userProfiles = table('user_profiles', {
  access: 'public',
  summary: "One's own profile, or a seller's by the exact slug of their storefront",
  columns: z.object({ user_id: id('user'), display_name: z.string().nullable(), marketplace_slug: z.string().nullable() }),
})

export const marketplaceItems = table('marketplace_items', {
  access: 'public',
  summary: 'Products for sale; sellers see their drafts too',
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
