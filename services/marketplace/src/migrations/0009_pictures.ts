import type { Migration } from '@operon/kit/migrate'

/** Whether a picture belongs to something that is on sale: asked for every picture that is shown. */
export const indexes: Migration['indexes'] = { items_pictures: 'on items using gin (image_ids) where is_active' }
