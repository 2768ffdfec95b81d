import * as auth from '@operon/contracts/identity-auth'
import { serveRaw } from '@operon/kit/http'
import { verifyCode, verifyLink } from '../codes/verify.ts'
import { type Deps, refuse, routing } from '../deps.ts'
import { reauthenticate, requestMagicLink, requestOtp, requestRecovery, resend } from '../mail/requests.ts'
import { grantToken } from '../sessions/grants.ts'
import { logOut } from '../sessions/logout.ts'
import { health, settings } from './settings.ts'
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
  route(auth.sso, async () => {
    throw refuse(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
  })
  for (const each of [auth.passkeyList, auth.passkeys, auth.passkeyUpdate, auth.passkeyDelete])
    route(each, async () => {
      throw refuse(404, 'passkey_disabled', 'Passkeys are disabled')
    })
  for (const each of [auth.oauthServer, auth.oauthServerPost])
    route(each, async () => {
      throw refuse(404, 'feature_disabled', 'OAuth server is disabled')
    })
}
