import * as auth from '@operon/contracts/identity/auth'
import { notOffered } from '@operon/contracts/identity/off'
import { serveRaw } from '@operon/kit/http'
import { verifyCode, verifyLink } from '../codes/verify.ts'
import { type Deps, routing } from '../deps.ts'
import { reauthenticate, requestMagicLink, requestOtp, requestRecovery, resend } from '../mail/requests.ts'
import { grantToken } from '../sessions/grants.ts'
import { logOut } from '../sessions/logout.ts'
import { refuseOff } from './not-offered.ts'
import { health, openIdConfiguration, settings } from './settings.ts'
import { signUp } from './sign-up.ts'
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
    method === 'HEAD' ? reply.send() : reply.redirect(await run(verifyLink)(ctx, input), 303),
  )
  route(auth.reauthenticate, reauthenticate)
  serveRaw(app, auth.logout, async (ctx, input, reply) => reply.code(204).send(await run(logOut)(ctx, input)))
  route(auth.getUser, getUser)
  route(auth.updateUser, updateUser)
  for (const [feature, endpoints] of Object.entries(notOffered))
    for (const each of endpoints) route(each, () => refuseOff(feature as keyof typeof notOffered))
}
