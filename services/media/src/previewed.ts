import type { Previewed } from '@operon/kit/previews'

/** The tables that previews of this service's actions speak of, a line each. */
export const previewed: Previewed = {
  pictures: { one: 'image', id: 'picture', deletedAt: 'deleted_at', shows: { prompt: 'Prompt', size: 'Size', saved: 'Saved' } },
  picture_shares: { one: 'public link', shows: { revoked_at: 'Revoked' } },
  boards: { one: 'image board', id: 'board', deletedAt: 'deleted_at', shows: { name: 'Name' } },
  board_pictures: { one: 'image on a board', many: 'images on boards' },
  files: { one: 'file', id: 'upload', shows: { name: 'Name', type: 'Type' } },
}
