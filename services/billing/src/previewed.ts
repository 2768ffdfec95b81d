import type { Previewed } from '@operon/kit/previews'

/** The tables that previews of this service's actions speak of, a line each. */
export const previewed: Previewed = {
  top_ups: { one: 'top-up', id: 'top_up', shows: { unit: 'Unit', units: 'Units', price_cents: 'Price', state: 'State' } },
}
