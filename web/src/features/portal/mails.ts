import { leadBack } from '../../api/arrival.ts'
import { expectSignIn, loadBackend } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import type { Answer } from '../../ui/WaitForCode.tsx'

export type MailKind = 'signup' | 'magiclink' | 'recovery' | 'email_change'

/** Sends a message with a link and a code. The answer is the same whether or not the address has an account. */
export async function sendMail(kind: MailKind, email: string, back: string = paths.auth): Promise<Answer> {
  const { auth } = await loadBackend()
  const redirectTo = leadBack(kind === 'recovery' ? paths.resetPassword : back, kind, email)
  if (kind === 'recovery') return auth.resetPasswordForEmail(email, { redirectTo })
  if (kind === 'magiclink') return auth.signInWithOtp({ email, options: { shouldCreateUser: false, emailRedirectTo: redirectTo } })
  return auth.resend({ type: kind, email, options: { emailRedirectTo: redirectTo } })
}

/** The code of such a message, typed here instead of opening its link. */
export async function checkCode(kind: MailKind, email: string, token: string): Promise<Answer> {
  const { auth } = await loadBackend()
  expectSignIn()
  return auth.verifyOtp({ email, token, type: kind === 'magiclink' ? 'email' : kind })
}
