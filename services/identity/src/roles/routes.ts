import * as identity from '@operon/contracts/identity/tables'
import { serveTable } from '@operon/kit/data/table'
import { sql } from 'kysely'
import { type Deps, routing } from '../deps.ts'
import { assignRole, oneAddressAtATime } from './roles.ts'

export function roleRoutes(deps: Deps) {
  const { app, run } = routing(deps)
  serveTable(app, identity.profiles, {
    from: 'users',
    // An address that somebody merely typed keeps its owner from nothing.
    scope: () => sql<boolean>`deleted_at is null and email is not null and email_confirmed_at is not null`,
    check: run(oneAddressAtATime),
  })
  serveTable(app, identity.userRoles, {
    scope: (ctx) => ({ user_id: ctx.actor.kind === 'user' ? ctx.actor.id : null }),
    insert: run(assignRole),
  })
}
