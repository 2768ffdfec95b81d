import type { Previewed } from '@operon/kit/previews'

/** What previews of this service's actions say, a table a line. */
export const previewed: Previewed = {
  top_ups: { one: 'top-up', id: 'top_up', shows: { unit: 'Unit', units: 'Units', price_cents: 'Price', state: 'State' } },
}
