import { marketplaceItems } from '@operon/contracts/marketplace'
import { userIdOf } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import type { Runtime } from '@operon/kit/service'
import { sql } from 'kysely'

export function itemRoutes({ app }: Runtime) {
  serveTable(app, marketplaceItems, { scope: (ctx) => sql<boolean>`(is_active or user_id = ${userIdOf(ctx.actor)})` })
}
