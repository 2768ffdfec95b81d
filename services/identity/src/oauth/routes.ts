import * as auth from '@operon/contracts/identity/auth'
import { serveRaw } from '@operon/kit/http'
import { type Deps, routing } from '../deps.ts'
import { type Began, beginLinking, beginLinkingElsewhere, beginOAuth, continueLinking, finishOAuth } from './sign-in.ts'
import { unlinkIdentity } from './unlinking.ts'

type Reply = Parameters<Parameters<typeof serveRaw>[2]>[2]

export function oauthRoutes(deps: Deps) {
  const { app, route, run } = routing(deps)
  serveRaw(app, auth.authorize, async (ctx, input, reply) => bound(deps, reply, await run(beginOAuth)(ctx, input)))
  serveRaw(app, auth.linkIdentity, async (ctx, input, reply, { headers }) => {
    const asJson = input.skip_http_redirect === 'true'
    if (asJson && isElsewhere(headers['sec-fetch-site'])) return reply.send(await run(beginLinkingElsewhere)(ctx, input))
    return bound(deps, reply, await run(beginLinking)(ctx, input), asJson)
  })
  serveRaw(app, auth.continueLinking, async (ctx, input, reply) => {
    const began = await run(continueLinking)(ctx, input)
    return 'cookie' in began ? bound(deps, reply, began) : reply.redirect(began.url, 302)
  })
  serveRaw(app, auth.oauthCallback, async (ctx, input, reply, request) =>
    reply.redirect(await run(finishOAuth)(ctx, { ...input, cookies: cookiesOf(request.headers.cookie) }), 302),
  )
  route(auth.unlinkIdentity, unlinkIdentity)
}

/** A fetch of a page on another origin, whose answer leaves no cookie. Programs other than browsers do not send the header. */
const isElsewhere = (site: string | string[] | undefined) => site === 'cross-site' || site === 'same-site'

/** Leads to the provider and leaves the mark by which this browser is known again. */
function bound({ rt }: Deps, reply: Reply, { url, cookie }: Began, asJson = false) {
  const secure = rt.kit.PUBLIC_URL.startsWith('https:') ? '; Secure' : ''
  reply.header('set-cookie', `${cookie.name}=${cookie.value}; Path=/auth/v1/callback; Max-Age=600; HttpOnly; SameSite=Lax${secure}`)
  return asJson ? reply.send({ url }) : reply.redirect(url, 302)
}

const cookiesOf = (header = ''): Record<string, string> =>
  Object.fromEntries(
    header
      .split(/;\s*/)
      .flatMap((pair) => (pair.includes('=') ? [[pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]] : [])),
  )
