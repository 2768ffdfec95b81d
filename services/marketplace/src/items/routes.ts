import { marketplaceItems } from '@operon/contracts/marketplace/tables'
import { serveTable } from '@operon/kit/data/table'
import type { Runtime } from '@operon/kit/service'
import { visibleItems } from './items.ts'

export function itemRoutes({ app }: Runtime) {
  serveTable(app, marketplaceItems, { scope: visibleItems })
}
