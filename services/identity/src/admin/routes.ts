import * as admin from '@operon/contracts/identity/admin'
import { messageLimits } from '@operon/contracts/identity/api'
import { serveRaw } from '@operon/kit/http'
import { loadOf } from '@operon/kit/mail/paces'
import { type Deps, routing } from '../deps.ts'
import { platformPaces } from '../mail/pacing.ts'
import {
  adminCreateUser,
  adminDeleteFactor,
  adminDeletePasskey,
  adminDeleteUser,
  adminGetUser,
  adminListFactors,
  adminListPasskeys,
  adminListUsers,
  adminUpdateFactor,
  adminUpdateUser,
} from './admin.ts'
import { adminListAudit } from './audit.ts'
import { adminGenerateLink, adminInvite } from './links.ts'
import { pageHeaders } from './pages.ts'

export function adminRoutes(deps: Deps) {
  const { app, route, run } = routing(deps)
  serveRaw(app, admin.adminListUsers, async (ctx, input, reply) => {
    const { users, ...page } = await run(adminListUsers)(ctx, input)
    const headers = pageHeaders(admin.adminListUsers.path, page, { filter: input.filter, sort: input.sort })
    return reply.headers(headers).send({ users, aud: 'authenticated' })
  })
  serveRaw(app, admin.adminListAudit, async (ctx, input, reply) => {
    const { entries, ...page } = await run(adminListAudit)(ctx, input)
    return reply.headers(pageHeaders(admin.adminListAudit.path, page, { query: input.query })).send(entries)
  })
  route(messageLimits, async ({ db, deps }) => ({ channels: await loadOf(db, platformPaces(deps.config)) }))
  route(admin.adminCreateUser, adminCreateUser)
  route(admin.adminGetUser, adminGetUser)
  route(admin.adminUpdateUser, adminUpdateUser)
  route(admin.adminDeleteUser, adminDeleteUser)
  route(admin.adminInvite, adminInvite)
  route(admin.adminGenerateLink, adminGenerateLink)
  route(admin.adminListFactors, adminListFactors)
  route(admin.adminDeleteFactor, adminDeleteFactor)
  route(admin.adminUpdateFactor, adminUpdateFactor)
  route(admin.adminListPasskeys, adminListPasskeys)
  route(admin.adminDeletePasskey, adminDeletePasskey)
  route(admin.adminListSsoProviders, async () => ({ items: [] }))
}
