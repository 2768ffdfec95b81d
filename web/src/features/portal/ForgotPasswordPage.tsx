import { type FormEvent, useState } from 'react'
import { Link } from 'react-router-dom'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Alert } from '../../ui/Panel.tsx'
import { WaitForCode } from '../../ui/WaitForCode.tsx'
import { checkCode, sendMail } from './mails.ts'
import { PortalFrame } from './PortalFrame.tsx'

/** The answer is the same whether or not the address has an account. */
export function ForgotPasswordPage() {
  const [state, setState] = useState<{ kind: 'idle' | 'busy' } | { kind: 'sent'; email: string } | { kind: 'failed'; message: string }>({
    kind: 'idle',
  })

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const email = String(new FormData(event.currentTarget).get('email')).trim()
    setState({ kind: 'busy' })
    const { error } = await sendMail('recovery', email)
    setState(error ? { kind: 'failed', message: error.message } : { kind: 'sent', email })
  }

  return (
    <PortalFrame>
      <h1 className="text-28 font-semibold">Forgot your password?</h1>
      <p className="mt-1 mb-6 text-14 text-muted">We send a link that sets a new one. It works once, for an hour.</p>
      {state.kind === 'sent' ? (
        <div className="flex flex-col gap-5">
          <Alert tone="good" title="Check your inbox">
            If {state.email} has an account, a link is on its way. Nothing changes until you use it. You can also enter its code here.
          </Alert>
          <WaitForCode send={() => sendMail('recovery', state.email)} check={(code) => checkCode('recovery', state.email, code)} />
        </div>
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-4">
          {state.kind === 'failed' ? <Alert title="The link was not sent">{state.message}</Alert> : null}
          <TextField label="Email" name="email" type="email" autoComplete="email" required />
          <Button type="submit" variant="primary" size="public" busy={state.kind === 'busy' ? 'Sending' : false}>
            Send the link
          </Button>
        </form>
      )}
      <p className="mt-6 text-13">
        <Link to={paths.auth} className="text-muted underline decoration-control underline-offset-4 hover:text-text">
          Back to sign in
        </Link>
      </p>
    </PortalFrame>
  )
}
