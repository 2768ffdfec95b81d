import { createProduct as createContract, publishProduct as publishContract } from '@operon/contracts/marketplace/api'
import { marketplaceItems } from '@operon/contracts/marketplace/tables'
import { serveTable } from '@operon/kit/data/table'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { MarketplaceDb } from '../schema.ts'
import { visibleItems } from './items.ts'
import { createProduct, publishProduct } from './products.ts'

export function itemRoutes({ app, kit }: Runtime<MarketplaceDb>) {
  serveTable(app, marketplaceItems, { scope: visibleItems })
  serve(app, createContract, createProduct)
  serve(app, publishContract, publishProduct(kit.PUBLIC_URL))
}
