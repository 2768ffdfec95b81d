import * as admin from '@operon/contracts/identity-admin'
import { serve, serveRaw } from '@operon/kit/http'
import { type Deps, withDeps } from '../deps.ts'
import {
  adminCreateUser,
  adminDeleteFactor,
  adminDeleteUser,
  adminGetUser,
  adminListFactors,
  adminListUsers,
  adminUpdateUser,
} from './admin.ts'
import { adminGenerateLink, adminInvite } from './links.ts'

export function adminRoutes(deps: Deps) {
  const { app } = deps.rt
  const run = withDeps(deps)
  serveRaw(app, admin.adminListUsers, async (ctx, input, reply) => {
    const { users, total, page, lastPage } = await run(adminListUsers)(ctx, input)
    const link = (to: number, rel: string) => `</auth/v1/admin/users?page=${to}&per_page=${input.per_page ?? 50}>; rel="${rel}"`
    const links = [...(page < lastPage ? [link(page + 1, 'next')] : []), link(lastPage, 'last')].join(', ')
    return reply.headers({ 'x-total-count': String(total), link: links }).send({ users, aud: 'authenticated' })
  })
  serve(app, admin.adminCreateUser, run(adminCreateUser))
  serve(app, admin.adminGetUser, run(adminGetUser))
  serve(app, admin.adminUpdateUser, run(adminUpdateUser))
  serve(app, admin.adminDeleteUser, run(adminDeleteUser))
  serve(app, admin.adminInvite, run(adminInvite))
  serve(app, admin.adminGenerateLink, run(adminGenerateLink))
  serve(app, admin.adminListFactors, run(adminListFactors))
  serve(app, admin.adminDeleteFactor, run(adminDeleteFactor))
}
