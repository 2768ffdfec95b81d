import { createProduct as createContract, publishProduct as publishContract } from '@operon/contracts/marketplace/api'
import * as products from '@operon/contracts/marketplace/products'
import { marketplaceItems } from '@operon/contracts/marketplace/tables'
import { serveTable } from '@operon/kit/data/table'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { MarketplaceDb } from '../schema.ts'
import { attachProductFile, detachProductFile, duplicateProduct, readProduct, updateProduct } from './editor.ts'
import { visibleItems } from './items.ts'
import { listProducts } from './listed.ts'
import { changeProductPrice, createProduct, deleteProducts, moveProducts, publishProduct } from './products.ts'

export function itemRoutes({ app, kit, config }: Runtime<MarketplaceDb, Config>) {
  const scans = { scansFiles: Boolean(config.CLAMAV) }
  serveTable(app, marketplaceItems, { scope: visibleItems })
  serve(app, createContract, createProduct)
  serve(app, publishContract, publishProduct(kit.PUBLIC_URL, scans))
  serve(app, products.listProducts, listProducts)
  serve(app, products.readProduct, readProduct(scans))
  serve(app, products.updateProduct, updateProduct(scans))
  serve(app, products.attachProductFile, attachProductFile(scans))
  serve(app, products.detachProductFile, detachProductFile(scans))
  serve(app, products.changeProductPrice, changeProductPrice)
  serve(app, products.moveProducts, moveProducts(scans))
  serve(app, products.duplicateProduct, duplicateProduct)
  serve(app, products.deleteProducts, deleteProducts)
}
