import * as auth from '@operon/contracts/identity-auth'
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
  serve(app, auth.health, run(health))
  serve(app, auth.settings, run(settings))
  serveRaw(app, auth.jwks, async (_ctx, _input, reply) =>
    reply.header('cache-control', 'public, max-age=600').send({ keys: deps.keys.publicKeys }),
  )
  serve(app, auth.signUp, run(signUp))
  serve(app, auth.token, run(grantToken))
  serve(app, auth.otp, run(requestOtp))
  serve(app, auth.magicLink, run(requestMagicLink))
  serve(app, auth.recover, run(requestRecovery))
  serve(app, auth.resend, run(resend))
  serve(app, auth.verify, run(verifyCode))
  // Mail scanners look at the head of a link first; that must not use it up.
  serveRaw(app, auth.verifyLink, async (ctx, input, reply, { method }) =>
    method === 'HEAD' ? reply.send() : reply.redirect(await run(verifyLink)(ctx, input), 303),
  )
  serve(app, auth.reauthenticate, run(reauthenticate))
  serveRaw(app, auth.logout, async (ctx, input, reply) => reply.code(204).send(await run(logOut)(ctx, input)))
  serve(app, auth.getUser, run(getUser))
  serve(app, auth.updateUser, run(updateUser))
  serve(app, auth.sso, async () => {
    throw refuse(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
  })
  serve(app, auth.passkeys, async () => {
    throw refuse(404, 'passkey_disabled', 'Passkey authentication is disabled')
  })
}
