import type { Input } from '@operon/contracts/contract'
import type * as auth from '@operon/contracts/identity/auth'
import { sandboxIsOpen } from '@operon/kit/config'
import { type AuthCtx, invalid, refuse } from '../deps.ts'
import { limitByAddress } from '../limits.ts'
import { checkCaptcha } from '../passwords/captcha.ts'
import type { SessionJson } from '../sessions/sessions.ts'
import { readProfile } from '../users/profile.ts'
import type { UserJson } from '../users/users.ts'
import { signUpAnonymously } from './anonymous.ts'
import { signUpByEmail } from './by-email.ts'
import { signUpByPhone } from './by-phone.ts'

type SignUp = Input<typeof auth.signUp>

/** Where real people come and nothing can be sent, an account would wait for ever for a proof that cannot come. */
function demandConfirmable({ deps: { config, rt } }: AuthCtx, by: 'email' | 'phone') {
  const isSent = by === 'email' ? config.SMTP_URL : config.SMS_API_URL
  if (isSent || sandboxIsOpen(rt.kit)) return
  const message = `New accounts by ${by} are closed: this site cannot send the message that confirms one yet`
  throw refuse(422, 'signup_disabled', message)
}

export async function signUp(ctx: AuthCtx, input: SignUp): Promise<SessionJson | UserJson> {
  const { config } = ctx.deps
  if (!input.email && !input.phone) return signUpAnonymously(ctx, input)
  if (config.AUTH_DISABLE_SIGNUP) throw refuse(422, 'signup_disabled', 'Signups not allowed for this instance')
  demandConfirmable(ctx, input.email ? 'email' : 'phone')
  await limitByAddress(ctx, 'sign-up', config.LIMIT_SIGN_UP_PER_MINUTE)
  await checkCaptcha(ctx, input.gotrue_meta_security?.captcha_token)
  if (!input.password) throw invalid('Signup requires a valid password')
  if (input.email && input.phone) throw invalid('Only an email address or phone number should be provided on signup.')
  const data = readProfile(input.data ?? {})
  return input.email ? signUpByEmail(ctx, input, input.password, data) : signUpByPhone(ctx, input, input.password, data)
}
