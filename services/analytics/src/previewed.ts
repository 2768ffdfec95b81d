import type { Previewed } from '@operon/kit/previews'

/** What previews of this service's actions say, a table a line. */
export const previewed: Previewed = { notifications: { one: 'notification', shows: { title: 'Title' } } }
