import type { Reply } from '@operon/contracts/contract'
import type { accountFactorRecovery } from '@operon/contracts/identity/api'
import { texts } from '@operon/contracts/messages'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { needsSecondFactor, useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { PageLoading } from '../../shell/states.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { moment } from '../../ui/format.ts'
import { Alert, ErrorState } from '../../ui/Panel.tsx'
import { WaitForCode } from '../../ui/WaitForCode.tsx'
import { checkCode, sendMail } from './mails.ts'
import { PortalFrame } from './PortalFrame.tsx'
import { allHold, generalRules } from './rules.ts'

type State = Reply<typeof accountFactorRecovery>

/** The way back into an account whose second factor is lost, or was added by somebody else: by email, after a wait that everybody hears of. */
export function LostSecondFactorPage() {
  // A password or a recovery link alone is all this person has.
  const { status, user, session } = useSession({ half: true })
  const recovery = useQuery({
    queryKey: ['factor-recovery', session?.access_token],
    queryFn: () => call('account-factor-recovery'),
    enabled: Boolean(user),
    placeholderData: (before) => before,
  })
  if (status === 'loading' || (user && recovery.isPending)) return <PageLoading />
  const again = () => recovery.refetch()
  return (
    <PortalFrame>
      <h1 className="text-28 font-semibold">Lost your second factor?</h1>
      {recovery.isError ? <ErrorState error={recovery.error} retry={again} /> : null}
      {recovery.data?.open ? (
        <Waiting open={recovery.data.open} onStopped={again} />
      ) : recovery.data?.may_begin ? (
        <Begin state={recovery.data} onBegun={again} />
      ) : recovery.isError ? null : (
        <ByEmail isHere={Boolean(user)} email={user?.email} />
      )}
      <p className="mt-6 text-13">
        <Link to={paths.auth} className="text-muted underline decoration-control underline-offset-4 hover:text-text">
          Back to sign in
        </Link>
      </p>
    </PortalFrame>
  )
}

function ByEmail({ isHere, email }: { isHere: boolean; email?: string | undefined }) {
  const [state, setState] = useState<'idle' | 'busy' | 'sent'>('idle')
  const [problem, setProblem] = useState<string>()
  const navigate = useNavigate()

  async function send(to: string) {
    setState('busy')
    const { error } = await sendMail('recovery', to)
    setProblem(error?.message)
    setState(error ? 'idle' : 'sent')
  }

  async function check(code: string) {
    const answer = await checkCode('recovery', email!, code)
    // The first proof of an address removes a factor that was there before it.
    if (!answer.error && !(await needsSecondFactor())) navigate(paths.resetPassword, { replace: true })
    return answer
  }

  if (isHere && !email)
    return (
      <p className="mt-2 text-14 text-muted">
        This account has no email to prove that it is yours. Sign in with one of its recovery codes: each works once.
      </p>
    )
  if (state === 'sent')
    return (
      <div className="mt-6 flex flex-col gap-5">
        <Alert tone="good" title="Check your inbox">
          Enter the code we sent to {email}. If you open the link instead, choose “I lost it, or it is not mine” once more.
        </Alert>
        <WaitForCode send={() => sendMail('recovery', email!)} check={check} />
      </div>
    )
  return (
    <div className="mt-2 flex flex-col gap-4">
      <p className="text-14 text-muted">
        If you have a recovery code, use it instead: it works at once. Otherwise prove by email that the account is yours, and we remove the
        second factor after a wait.
      </p>
      {email ? (
        <p className="text-14 text-muted">
          The code goes to <span className="[overflow-wrap:anywhere] text-text">{email}</span>.
        </p>
      ) : null}
      {problem ? <Alert title="The message was not sent">{problem}</Alert> : null}
      {email ? (
        <Button variant="primary" size="public" busy={state === 'busy' ? 'Sending' : false} onClick={() => send(email)}>
          Email me a code
        </Button>
      ) : (
        <ButtonLink to={paths.forgotPassword} variant="primary" size="public">
          Email me a link
        </ButtonLink>
      )}
    </div>
  )
}

function Begin({ state, onBegun }: { state: State; onBegun: () => unknown }) {
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function begin(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const password = String(new FormData(event.currentTarget).get('password') ?? '')
    if (state.asks_password && !allHold(generalRules, password)) return setProblem(texts.passwordRequirementsNotMet)
    setBusy(true)
    setProblem(undefined)
    try {
      await call('account-factor-recovery-begin', password ? { password } : {})
      await onBegun()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : texts.unexpectedError)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form onSubmit={begin} className="mt-2 flex flex-col gap-4">
      <p className="text-14 text-muted">
        We remove it in {state.hours} hours and sign out every device. Until then the owner of this account can stop it: we notify your
        email, your phone and your other devices.
      </p>
      {problem ? <Alert title="That did not work">{problem}</Alert> : null}
      {state.asks_password ? (
        <PasswordField
          label="New password"
          name="password"
          autoComplete="new-password"
          required
          hint="The person who added the second factor may know the old one. Saving signs out every other device and ends your API keys."
        />
      ) : null}
      <Button type="submit" variant="primary" size="public" busy={busy ? 'Starting' : false}>
        Remove my second factor
      </Button>
    </form>
  )
}

function Waiting({ open, onStopped }: { open: NonNullable<State['open']>; onStopped: () => unknown }) {
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function stop() {
    setBusy(true)
    try {
      await call('account-factor-recovery-stop')
      await onStopped()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : texts.unexpectedError)
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className="mt-6 flex flex-col gap-4">
      <Alert tone="info" title={`Your second factor will be removed on ${moment(open.due_at)}`}>
        You asked for this on {moment(open.requested_at)}. We email you when it is done. From then on, you sign in with your password alone.
      </Alert>
      {problem ? <Alert title="It was not stopped">{problem}</Alert> : null}
      {open.may_stop ? (
        <Button busy={busy ? 'Stopping' : false} onClick={stop}>
          I found it: keep my second factor
        </Button>
      ) : (
        <p className="text-13 text-muted">To stop it, use the link in the email or text message we sent you about it.</p>
      )}
    </div>
  )
}
