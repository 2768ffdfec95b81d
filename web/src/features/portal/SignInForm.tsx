import { texts } from '@operon/contracts/messages'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router-dom'
import { clearAuthKeys } from '../../api/keys.ts'
import type { Role } from '../../api/roles.ts'
import { loadBackend } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField, TextField } from '../../ui/Field.tsx'
import type { Report } from './PortalPage.tsx'

type FormProps = {
  role?: Role
  report: Report
  begin: () => void
  clear: () => void
  onSignedIn: (welcome: { title: string; text?: string }) => Promise<void>
}

export function SignInForm({ report, begin, clear, onSignedIn }: FormProps) {
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    setBusy(true)
    clear()
    try {
      begin()
      clearAuthKeys()
      const { auth } = await loadBackend()
      const { error } = await auth.signInWithPassword({ email: String(data.get('email')), password: String(data.get('password')) })
      if (error) report(...signInMessage(error))
      else await onSignedIn({ title: 'Welcome back!', text: 'You are signed in.' })
    } catch (error) {
      report(texts.error, error instanceof Error ? error.message : texts.unexpectedError)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4 pt-5">
      <TextField label="Email" name="email" type="email" autoComplete="email" required />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        aside={
          <Link to={paths.forgotPassword} className="text-13 text-muted underline decoration-control underline-offset-4 hover:text-text">
            Forgot password?
          </Link>
        }
      />
      <Button type="submit" variant="primary" size="public" busy={busy ? 'Signing in' : false}>
        Sign In
      </Button>
    </form>
  )
}

function signInMessage(error: { code?: string; message: string; status?: number }): [string, string] {
  if (error.code === 'invalid_credentials' || /invalid login/i.test(error.message))
    return [texts.invalidCredentials, 'Please check your email and password and try again.']
  if (error.code === 'email_not_confirmed') return ['Email not confirmed', 'Open the link in the mail we sent you, then sign in.']
  if (error.status === 429) return ['Too many attempts', error.message]
  return [texts.error, error.message || texts.unexpectedError]
}
