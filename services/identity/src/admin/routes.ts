import * as admin from '@operon/contracts/identity-admin'
import { serveRaw } from '@operon/kit/http'
import { type Deps, routing } from '../deps.ts'
import {
  adminCreateUser,
  adminDeleteFactor,
  adminDeleteUser,
  adminGetUser,
  adminListFactors,
  adminListPasskeys,
  adminListUsers,
  adminUpdateFactor,
  adminUpdateUser,
} from './admin.ts'
import { adminGenerateLink, adminInvite } from './links.ts'

export function adminRoutes(deps: Deps) {
  const { app, route, run } = routing(deps)
  serveRaw(app, admin.adminListUsers, async (ctx, input, reply) => {
    const { users, total, page, lastPage } = await run(adminListUsers)(ctx, input)
    const link = (to: number, rel: string) => `</auth/v1/admin/users?page=${to}&per_page=${input.per_page ?? 50}>; rel="${rel}"`
    const links = [...(page < lastPage ? [link(page + 1, 'next')] : []), link(lastPage, 'last')].join(', ')
    return reply.headers({ 'x-total-count': String(total), link: links }).send({ users, aud: 'authenticated' })
  })
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
  route(admin.adminListSsoProviders, async () => ({ items: [] }))
}
