import { texts } from '@operon/contracts/messages'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { landingFor } from '../../api/roles.ts'
import { loadBackend, needsSecondFactor, recoveryOf, useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { PageLoading } from '../../shell/states.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { Alert } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { MfaChallenge } from './MfaChallenge.tsx'
import { PortalFrame } from './PortalFrame.tsx'
import { allHold, generalRules } from './rules.ts'

/** Reached by the link in the email, which is the proof. A session that was here before shows the current password instead. */
export function ResetPasswordPage() {
  const { status, user, session } = useSession({ half: true })
  // Access to the email alone does not get past the second factor.
  const challenge = useQuery({
    queryKey: ['second-factor', session?.access_token],
    queryFn: needsSecondFactor,
    enabled: Boolean(session),
    placeholderData: (before) => before,
  })
  // A clock that is wrong here shows in what the server refuses.
  const [refused, setRefused] = useState(false)
  const came = session === null ? 'none' : recoveryOf(session)
  const isRecovery = came === 'open' && !refused
  const navigate = useNavigate()
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const password = String(data.get('password'))
    if (!allHold(generalRules, password)) return setProblem(texts.passwordRequirementsNotMet)
    if (password !== data.get('confirm')) return setProblem(texts.passwordsDontMatch)
    setBusy(true)
    setProblem(undefined)
    const { auth } = await loadBackend()
    const current_password = String(data.get('current') ?? '')
    const { error } = await auth.updateUser({ password, ...(current_password && { current_password }) })
    setBusy(false)
    if (error?.code === 'reauthentication_needed' && came !== 'none') return setRefused(true)
    if (error) return setProblem(error.message)
    toast.success(
      'Your password has changed',
      isRecovery ? 'Other devices have been signed out, and your API keys have ended.' : 'Other devices have been signed out.',
    )
    navigate(user ? await landingFor(user.id) : paths.auth, { replace: true })
  }

  if (status === 'loading' || (user && challenge.isPending)) return <PageLoading />
  return (
    <PortalFrame>
      <h1 className="text-28 font-semibold">Set a new password</h1>
      {user && challenge.data ? (
        <div className="mt-2 flex flex-col gap-4">
          <p className="text-14 text-muted">One more step: this account asks for a second factor.</p>
          {problem ? <Alert title={problem} /> : null}
          <MfaChallenge report={(title, text) => setProblem(text ?? title)} onDone={() => setProblem(undefined)} />
        </div>
      ) : user ? (
        <form onSubmit={submit} className="mt-6 flex flex-col gap-4">
          {problem ? <Alert title={problem} /> : null}
          <input type="email" name="email" autoComplete="username" value={user.email ?? ''} readOnly hidden />
          {came !== 'none' && !isRecovery ? (
            <Alert tone="warn" title="Your reset link has expired">
              Enter your current password, or ask for a new link if you forgot it.
            </Alert>
          ) : null}
          {isRecovery ? (
            <p className="text-14 text-muted">Saving signs out every other device and ends your API keys.</p>
          ) : (
            <PasswordField
              label="Current password"
              name="current"
              autoComplete="current-password"
              required
              hint={came === 'none' ? 'You are signed in without a reset link. Forgot it? Ask for a link.' : undefined}
              aside={
                <Link
                  to={paths.forgotPassword}
                  className="text-13 text-muted underline decoration-control underline-offset-4 hover:text-text"
                >
                  Email me a link
                </Link>
              }
            />
          )}
          <PasswordField
            label="New password"
            name="password"
            autoComplete="new-password"
            required
            hint="8 characters or more, with an uppercase letter, a lowercase letter and a special character."
          />
          <PasswordField label="Confirm password" name="confirm" autoComplete="new-password" required />
          <Button type="submit" variant="primary" size="public" busy={busy ? 'Saving' : false}>
            Save the password
          </Button>
        </form>
      ) : (
        <>
          <p className="mt-2 mb-6 text-14 text-muted">This page opens from the link in the email. That link works once, for an hour.</p>
          <ButtonLink to={paths.forgotPassword} variant="primary" size="public">
            Send a new link
          </ButtonLink>
        </>
      )}
    </PortalFrame>
  )
}
