import type { Previewed } from '@operon/kit/previews'

/** The tables that previews of this service's actions speak of, a line each. */
export const previewed: Previewed = { notifications: { one: 'notification', shows: { title: 'Title' } } }
