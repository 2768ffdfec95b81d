import { pressedCookie, pressedSeconds } from '@operon/contracts/identity/arrival'
import * as auth from '@operon/contracts/identity/auth'
import { notOffered } from '@operon/contracts/identity/off'
import { serveRaw } from '@operon/kit/http'
import { sendPage } from '@operon/kit/page'
import { openLink, pressLink, type Shown } from '../codes/link-page.ts'
import { type Led, verifyCode } from '../codes/verify.ts'
import { type Deps, routing } from '../deps.ts'
import { reauthenticate, requestMagicLink, requestOtp, requestRecovery, resend } from '../mail/requests.ts'
import { grantToken } from '../sessions/grants.ts'
import { logOut } from '../sessions/logout.ts'
import { signUp } from '../sign-up/sign-up.ts'
import { refuseOff } from './not-offered.ts'
import { health, openIdConfiguration, settings } from './settings.ts'
import { updateUser } from './update-user.ts'
import { getUser } from './users.ts'

export function userRoutes(deps: Deps) {
  const { app, route, run } = routing(deps)
  route(auth.health, health)
  route(auth.settings, settings)
  serveRaw(app, auth.jwks, async (_ctx, _input, reply) =>
    reply.header('cache-control', 'public, max-age=600').send({ keys: deps.keys.publicKeys }),
  )
  serveRaw(app, auth.openIdConfiguration, async (_ctx, _input, reply) =>
    reply.header('cache-control', 'public, max-age=600').send(openIdConfiguration(deps)),
  )
  route(auth.signUp, signUp)
  route(auth.token, grantToken)
  route(auth.otp, requestOtp)
  route(auth.magicLink, requestMagicLink)
  route(auth.recover, requestRecovery)
  route(auth.resend, resend)
  route(auth.verify, verifyCode)
  // Mail scanners look at the head of a link first; that must not use it up.
  serveRaw(app, auth.verifyLink, async (ctx, input, reply, { method }) =>
    method === 'HEAD' ? reply.send() : lead(deps, reply, await run(openLink)(ctx, input)),
  )
  serveRaw(app, auth.pressLink, async (ctx, input, reply, { headers }) =>
    lead(deps, reply, await run(pressLink)(ctx, { ...input, isOwnPage: isOwnPage(deps, headers) }), true),
  )
  route(auth.reauthenticate, reauthenticate)
  serveRaw(app, auth.logout, async (ctx, input, reply) => reply.code(204).send(await run(logOut)(ctx, input)))
  route(auth.getUser, getUser)
  route(auth.updateUser, updateUser)
  for (const [feature, endpoints] of Object.entries(notOffered))
    for (const each of endpoints) route(each, () => refuseOff(feature as keyof typeof notOffered))
}

type Reply = Parameters<Parameters<typeof serveRaw>[2]>[2]

/** Shows the page, or leads on. Pressed on our own page, this browser is told which session it asked for: the web app takes no other out of an address. */
function lead({ rt }: Deps, reply: Reply, answer: Shown | Led, wasPressed = false) {
  if ('page' in answer) return sendPage(reply, answer.page, answer)
  const home = new URL(rt.kit.PUBLIC_URL)
  if (wasPressed && answer.session && new URL(answer.to).origin === home.origin) {
    const secure = home.protocol === 'https:' ? '; Secure' : ''
    const id = sessionIdOf(answer.session.access_token)
    reply.header('set-cookie', `${pressedCookie}=${id}; Path=/; Max-Age=${pressedSeconds}; SameSite=Strict${secure}`)
  }
  return reply.redirect(answer.to, 303)
}

const sessionIdOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).session_id

/** Browsers say where a form stands. A form of another site must not sign this browser in to somebody's account. */
function isOwnPage({ rt }: Deps, headers: Record<string, string | string[] | undefined>): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin === undefined || headers.origin === new URL(rt.kit.PUBLIC_URL).origin
}
