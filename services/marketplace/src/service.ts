import { fileContracts } from '@operon/contracts/files'
import { fileFromPicture } from '@operon/contracts/marketplace/files'
import { erasesPeople } from '@operon/kit/erasure'
import { mountPictureCopies } from '@operon/kit/files/copy'
import { eraseFiles, mountFiles } from '@operon/kit/files/mount'
import { fileTables } from '@operon/kit/files/schema'
import { openMailer } from '@operon/kit/mail/mailer'
import { messagePaces, watchLoad } from '@operon/kit/mail/paces'
import { platformPace } from '@operon/kit/mail/turns'
import type { ServiceDefinition } from '@operon/kit/service'
import { buyerRoutes } from './buyers/routes.ts'
import { Config } from './config.ts'
import { couponRoutes } from './coupons/routes.ts'
import { erasure } from './erasure.ts'
import { inVersion, soldFile } from './items/kept.ts'
import { itemRoutes } from './items/routes.ts'
import { letterJobs } from './letters/send.ts'
import { licenceRoutes } from './licences/routes.ts'
import * as storefront from './migrations/0001_storefront.ts'
import * as orders from './migrations/0002_orders.ts'
import * as products from './migrations/0003_products.ts'
import * as soldVersions from './migrations/0005_sold_versions.ts'
import * as storefrontPages from './migrations/0008_storefront_pages.ts'
import * as pictures from './migrations/0009_pictures.ts'
import * as editor from './migrations/0010_editor.ts'
import * as trust from './migrations/0011_trust.ts'
import * as library from './migrations/0012_library.ts'
import * as conversion from './migrations/0013_conversion.ts'
import * as orderLines from './migrations/0020_order_lines.ts'
import * as afterTheSale from './migrations/0021_after_the_sale.ts'
import * as filesLeft from './migrations/0023_files_left.ts'
import * as banned from './migrations/0024_banned.ts'
import * as lists from './migrations/0030_lists.ts'
import * as sums from './migrations/0031_sums.ts'
import * as boundedReads from './migrations/0040_bounded_reads.ts'
import * as ordersByAddress from './migrations/0041_orders_by_address.ts'
import { orderRoutes } from './orders/routes.ts'
import { previewed } from './previewed.ts'
import { profileConsumers } from './profiles/consumers.ts'
import { profileRoutes } from './profiles/routes.ts'
import { refundRoutes } from './refunds/routes.ts'
import { reviewRoutes } from './reviews/routes.ts'
import type { MarketplaceDb } from './schema.ts'
import { sellingRoutes } from './selling/routes.ts'
import { storefrontRoutes } from './storefront/routes.ts'
import { templateRoutes } from './templates/routes.ts'
import { threadRoutes } from './threads/routes.ts'
import { trustRoutes } from './trust/routes.ts'

export const marketplaceService: ServiceDefinition<MarketplaceDb, Config> = {
  name: 'marketplace',
  config: Config,
  previewed,
  migrations: {
    '0001_storefront': storefront,
    '0002_orders': orders,
    '0003_products': products,
    '0004_files': fileTables,
    '0005_sold_versions': soldVersions,
    '0008_storefront_pages': storefrontPages,
    '0009_pictures': pictures,
    '0010_editor': editor,
    '0011_trust': trust,
    '0012_library': library,
    '0013_conversion': conversion,
    '0020_order_lines': orderLines,
    '0021_after_the_sale': afterTheSale,
    '0022_message_paces': messagePaces,
    '0023_files_left': filesLeft,
    '0024_banned': banned,
    '0030_lists': lists,
    '0031_sums': sums,
    '0040_bounded_reads': boundedReads,
    '0041_orders_by_address': ordersByAddress,
  },
  sandboxed: ({ SMTP_URL }) => (SMTP_URL ? [] : ['smtp']),
  setup(rt) {
    const mailer = openMailer(rt)
    rt.onStop(mailer.close)
    watchLoad(rt, [platformPace(rt.config)])
    profileRoutes(rt)
    profileConsumers(rt)
    itemRoutes(rt)
    orderRoutes(rt)
    refundRoutes(rt)
    reviewRoutes(rt)
    threadRoutes(rt)
    buyerRoutes(rt, mailer)
    letterJobs(rt, mailer)
    storefrontRoutes(rt)
    sellingRoutes(rt)
    couponRoutes(rt)
    licenceRoutes(rt)
    trustRoutes(rt)
    templateRoutes(rt)
    mountFiles(rt, fileContracts('marketplace'), { kept: inVersion })
    mountPictureCopies(rt, fileFromPicture)
    erasesPeople(rt, { ...erasure, before: (ctx, userId) => eraseFiles(rt, ctx, userId, soldFile) })
  },
}
