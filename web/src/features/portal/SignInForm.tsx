import { texts } from '@operon/contracts/messages'
import { KeyRound } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { clearAuthKeys } from '../../api/keys.ts'
import type { Role } from '../../api/roles.ts'
import { loadBackend } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField, TextField } from '../../ui/Field.tsx'
import { Alert } from '../../ui/Panel.tsx'
import { MailSent } from './MailSent.tsx'
import { type MailKind, sendMail } from './mails.ts'
import type { Report } from './PortalPage.tsx'
import { usePasskey } from './usePasskey.ts'

type FormProps = {
  role?: Role
  report: Report
  begin: () => void
  clear: () => void
  onSignedIn: (welcome: { title: string; text?: string }) => Promise<void>
}

export function SignInForm({ role, report, begin, clear, onSignedIn }: FormProps) {
  const back = role ? `/auth/${role}` : paths.auth
  const [busy, setBusy] = useState(false)
  const [waiting, setWaiting] = useState<{ kind: MailKind; email: string }>()
  const form = useRef<HTMLFormElement>(null)
  const passkey = usePasskey({ begin, clear, report, onSignedIn })

  async function sendLink() {
    const email = form.current!.elements.namedItem('email') as HTMLInputElement
    if (!email.reportValidity()) return
    clear()
    const { error } = await sendMail('magiclink', email.value.trim(), back)
    if (error) return report('The link was not sent', error.message)
    setWaiting({ kind: 'magiclink', email: email.value.trim() })
  }

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
      if (error?.code === 'email_not_confirmed') setWaiting({ kind: 'signup', email: String(data.get('email')).trim() })
      else if (error) report(...signInMessage(error))
      else await onSignedIn({ title: 'Welcome back!', text: 'You are signed in.' })
    } catch (error) {
      report(texts.error, error instanceof Error ? error.message : texts.unexpectedError)
    } finally {
      setBusy(false)
    }
  }

  if (waiting)
    return (
      <MailSent
        {...waiting}
        back={back}
        begin={begin}
        onLeave={() => setWaiting(undefined)}
        onDone={() => onSignedIn({ title: 'Welcome back!', text: 'You are signed in.' })}
      >
        {waiting.kind === 'signup' ? (
          <Alert tone="warn" title="Email not confirmed">
            Open the link in the email we sent to {waiting.email}, or enter its code here.
          </Alert>
        ) : (
          <Alert tone="good" title="Check your inbox">
            If {waiting.email} has an account, a sign-in link is on its way. Open it, or enter its code here.
          </Alert>
        )}
      </MailSent>
    )
  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-4 pt-5">
      <TextField label="Email" name="email" type="email" autoComplete="username webauthn" required onFocus={passkey.suggest} />
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
      {passkey.offered ? (
        <Button size="public" busy={passkey.busy ? 'Waiting for your device' : false} onClick={passkey.signIn}>
          <KeyRound />
          Sign in with a passkey
        </Button>
      ) : null}
      <Button variant="ghost" onClick={sendLink}>
        Email me a sign-in link
      </Button>
    </form>
  )
}

function signInMessage(error: { code?: string; message: string; status?: number }): [string, string] {
  if (error.code === 'invalid_credentials' || /invalid login/i.test(error.message))
    return [texts.invalidCredentials, 'Please check your email and password and try again.']
  if (error.status === 429) return ['Too many attempts', error.message]
  return [texts.error, error.message || texts.unexpectedError]
}
