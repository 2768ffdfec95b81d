import * as identity from '@operon/contracts/identity'
import { serve, serveRaw } from '@operon/kit/http'
import { verifyCode, verifyLink } from '../codes/verify.ts'
import { type Deps, refuse, withDeps } from '../deps.ts'
import { reauthenticate, requestMagicLink, requestOtp, requestRecovery, resend } from '../mail/requests.ts'
import { grantToken } from '../sessions/grants.ts'
import { logOut } from '../sessions/logout.ts'
import { health, settings } from './settings.ts'
import { signUp } from './sign-up.ts'
import { updateUser } from './update-user.ts'
import { getUser } from './users.ts'

export function userRoutes(deps: Deps) {
  const { app } = deps.rt
  const run = withDeps(deps)
  serve(app, identity.health, run(health))
  serve(app, identity.settings, run(settings))
  serveRaw(app, identity.jwks, async (_ctx, _input, reply) =>
    reply.header('cache-control', 'public, max-age=600').send({ keys: deps.keys.publicKeys }),
  )
  serve(app, identity.signUp, run(signUp))
  serve(app, identity.token, run(grantToken))
  serve(app, identity.otp, run(requestOtp))
  serve(app, identity.magicLink, run(requestMagicLink))
  serve(app, identity.recover, run(requestRecovery))
  serve(app, identity.resend, run(resend))
  serve(app, identity.verify, run(verifyCode))
  // Mail scanners look at the head of a link first; that must not use it up.
  serveRaw(app, identity.verifyLink, async (ctx, input, reply, { method }) =>
    method === 'HEAD' ? reply.send() : reply.redirect(await run(verifyLink)(ctx, input), 303),
  )
  serve(app, identity.reauthenticate, run(reauthenticate))
  serveRaw(app, identity.logout, async (ctx, input, reply) => reply.code(204).send(await run(logOut)(ctx, input)))
  serve(app, identity.getUser, run(getUser))
  serve(app, identity.updateUser, run(updateUser))
  serve(app, identity.sso, async () => {
    throw refuse(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
  })
  serve(app, identity.passkeys, async () => {
    throw refuse(404, 'passkey_disabled', 'Passkey authentication is disabled')
  })
}
