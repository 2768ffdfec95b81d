import type { Migration } from '@operon/kit/migrate'

/** The newest templates and prompt packs, of all and of a category. */
export const indexes: Migration['indexes'] = {
  items_templates: "on items (coalesce(published_at, created_at) desc, id desc) where is_active and kind in ('template', 'prompt_pack')",
  items_templates_of_category:
    "on items (category, coalesce(published_at, created_at) desc, id desc) where is_active and kind in ('template', 'prompt_pack')",
}
