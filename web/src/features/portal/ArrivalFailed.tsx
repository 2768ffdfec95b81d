import { texts } from '@operon/contracts/messages'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { type Arrival, type AskKind, leaveFailedArrival } from '../../api/arrival.ts'
import { landingFor } from '../../api/roles.ts'
import { sessionNow, useSession } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Alert } from '../../ui/Panel.tsx'
import { WaitForCode } from '../../ui/WaitForCode.tsx'
import { checkCode, type MailKind, sendMail } from './mails.ts'
import { PortalFrame } from './PortalFrame.tsx'

/** A link that did not work, on whatever page it led to: why, and another one. */
export function ArrivalFailed({ why, kind, email: asked }: Extract<Arrival, { state: 'failed' }>) {
  const { user } = useSession({ eager: false })
  const navigate = useNavigate()
  const [email, setEmail] = useState(asked ?? user?.email ?? '')
  const [sent, setSent] = useState(false)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const mail = mailFor(kind)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    setBusy(true)
    const { error } = await sendMail(mail, email)
    setBusy(false)
    setProblem(error?.message)
    setSent(!error)
  }

  async function check(code: string) {
    const answer = await checkCode(mail, email, code)
    if (answer.error) return answer
    leaveFailedArrival()
    const signedIn = sessionNow().session?.user.id
    if (signedIn && mail !== 'recovery') navigate(await landingFor(signedIn), { replace: true })
    return answer
  }

  if (kind === 'oauth')
    return (
      <PortalFrame>
        <h1 className="text-28 font-semibold">Sign-in not finished</h1>
        <p className="mt-2 mb-6 text-14 text-muted">{asSentence(why)} You can try again or sign in another way.</p>
        <Button variant="primary" size="public" onClick={leaveFailedArrival}>
          Back to sign in
        </Button>
      </PortalFrame>
    )
  return (
    <PortalFrame>
      <h1 className="text-28 font-semibold">{texts.confirmationError}</h1>
      <p role="alert" className="mt-2 mb-6 text-14 text-muted">
        {asSentence(why)} {sent ? '' : 'Each link works once, for an hour. We can send you a new one.'}
      </p>
      {sent ? (
        <div className="flex flex-col gap-5">
          <Alert tone="good" title="Check your inbox">
            If {email} has an account, a new message is on its way. Open its link, or enter its code here.
          </Alert>
          <WaitForCode send={() => sendMail(mail, email)} check={check} />
        </div>
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-4">
          {problem ? <Alert title="The message was not sent">{problem}</Alert> : null}
          <TextField
            label="Email"
            name="email"
            type="email"
            autoComplete="email"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <Button type="submit" variant="primary" size="public" busy={busy ? 'Sending' : false}>
            Send again
          </Button>
        </form>
      )}
      <Button variant="ghost" className="mt-4 -ml-3 max-md:-ml-4" onClick={leaveFailedArrival}>
        {user ? 'Continue without it' : 'Back to sign in'}
      </Button>
    </PortalFrame>
  )
}

/** A sign-in link does for a sign-up as well: the server sends what the account still needs. */
const mailFor = (kind: AskKind | undefined): MailKind => (kind === 'recovery' || kind === 'email_change' ? kind : 'magiclink')

const asSentence = (text: string) => text.replace(/\.?$/, '.')
