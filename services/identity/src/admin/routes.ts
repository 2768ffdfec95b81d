import * as identity from '@operon/contracts/identity'
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
  serveRaw(app, identity.adminListUsers, async (ctx, input, reply) => {
    const { users, total, page, lastPage } = await run(adminListUsers)(ctx, input)
    const link = (to: number, rel: string) => `</auth/v1/admin/users?page=${to}&per_page=${input.per_page ?? 50}>; rel="${rel}"`
    const links = [...(page < lastPage ? [link(page + 1, 'next')] : []), link(lastPage, 'last')].join(', ')
    return reply.headers({ 'x-total-count': String(total), link: links }).send({ users, aud: 'authenticated' })
  })
  serve(app, identity.adminCreateUser, run(adminCreateUser))
  serve(app, identity.adminGetUser, run(adminGetUser))
  serve(app, identity.adminUpdateUser, run(adminUpdateUser))
  serve(app, identity.adminDeleteUser, run(adminDeleteUser))
  serve(app, identity.adminInvite, run(adminInvite))
  serve(app, identity.adminGenerateLink, run(adminGenerateLink))
  serve(app, identity.adminListFactors, run(adminListFactors))
  serve(app, identity.adminDeleteFactor, run(adminDeleteFactor))
}
