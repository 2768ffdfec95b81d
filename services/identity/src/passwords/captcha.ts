import { type AuthCtx, refuse } from '../deps.ts'

/** Asks the configured verifier (hCaptcha, Turnstile and reCAPTCHA share this form); without one there is nothing to check. */
export async function checkCaptcha(ctx: AuthCtx, token: string | null | undefined): Promise<void> {
  const { AUTH_CAPTCHA_URL: url, AUTH_CAPTCHA_SECRET: secret } = ctx.deps.config
  if (!url) return
  if (!token) throw refuse(400, 'captcha_failed', 'captcha protection: request disallowed (no captcha_token found)')
  const body = new URLSearchParams({ secret: secret ?? '', response: token, remoteip: ctx.ip })
  const answer = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(5000) })
    .then((response) => response.json() as Promise<{ success?: boolean; 'error-codes'?: string[] }>)
    .catch(() => null)
  if (!answer) throw refuse(500, 'unexpected_failure', 'captcha verification process failed')
  if (!answer.success)
    throw refuse(400, 'captcha_failed', `captcha protection: request disallowed (${answer['error-codes']?.join(', ') ?? 'not passed'})`)
}
