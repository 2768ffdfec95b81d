import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { leadBack } from '../../api/arrival.ts'
import { demoOf } from '../../api/demo.ts'
import { loadBackend, useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { confirmed } from '../../shell/ConfirmItsYou.tsx'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Alert, Panel } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { type Answer, SendAgain } from '../../ui/WaitForCode.tsx'

export function ProfilePanel() {
  const { user, session } = useSession()
  const isDemo = demoOf(session) !== null
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const name = String(data.get('name')).trim()
    const email = String(data.get('email') ?? user?.email ?? '').trim()
    setBusy(true)
    await attempt('The profile was not saved', async () => {
      const { auth } = await loadBackend()
      const moves = email !== (user?.email ?? '')
      await confirmed(async () => {
        const { error } = await auth.updateUser(
          { data: { name }, ...(moves ? { email } : {}) },
          { emailRedirectTo: leadBack(paths.auth, 'email_change', user?.email) },
        )
        if (error) throw error
      })
      await queries.invalidateQueries({ queryKey: ['profile'] })
      toast.success('Profile saved', moves ? sentTo(user?.email, email) : undefined)
    })
    setBusy(false)
  }

  async function sendAgain(): Promise<Answer> {
    const { auth } = await loadBackend()
    return confirmed(async () => {
      const answer = await auth.updateUser(
        { email: user!.new_email! },
        { emailRedirectTo: leadBack(paths.auth, 'email_change', user?.email) },
      )
      if (answer.error) throw answer.error
      return answer
    }).catch((error: Error) => ({ error }))
  }

  return (
    <Panel title="Profile">
      <form onSubmit={save} className="flex max-w-md flex-col gap-4">
        <TextField
          label="Name"
          name="name"
          autoComplete="name"
          required
          pattern=".*\S.*"
          maxLength={100}
          defaultValue={user?.user_metadata.name ?? ''}
          hint="Shown in your dashboard greeting."
        />
        {isDemo ? (
          <p className="text-13 text-muted">A demo has no email to sign in with. An account of your own does.</p>
        ) : (
          <TextField
            label="Email"
            name="email"
            type="email"
            autoComplete="email"
            required={Boolean(user?.email)}
            defaultValue={user?.email ?? ''}
            hint={
              user?.email
                ? 'To change it, confirm from both the old and the new address.'
                : 'Your account has none yet. Add one to sign in with it and to get receipts.'
            }
          />
        )}
        <Button type="submit" variant="primary" className="self-start" busy={busy ? 'Saving' : false}>
          Save profile
        </Button>
      </form>
      {user?.new_email ? (
        <div className="mt-6 flex max-w-md flex-col gap-4 border-t border-line pt-4">
          <p className="text-13 text-muted">
            {user.email
              ? `Your email changes to ${user.new_email} when both addresses have confirmed. Open the link in each message, or enter both codes here.`
              : `Your email becomes ${user.new_email} when you open the link in the message, or enter its code here.`}
          </p>
          {user.email ? <EmailCode address={user.email} /> : null}
          <EmailCode address={user.new_email} />
          <SendAgain send={sendAgain} />
        </div>
      ) : null}
    </Panel>
  )
}

const sentTo = (before: string | undefined, email: string) =>
  before
    ? `Open the links we sent to ${before} and ${email}; the address changes when both are confirmed.`
    : `Open the link we sent to ${email} to add this address.`

/** The code from the message to one of the two addresses. The second of them changes the email. */
function EmailCode({ address }: { address: string }) {
  const [state, setState] = useState<'open' | 'busy' | 'confirmed'>('open')
  const [problem, setProblem] = useState<string>()

  async function check(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const token = String(new FormData(event.currentTarget).get('code')).replaceAll(/\D/g, '')
    setState('busy')
    setProblem(undefined)
    const { auth } = await loadBackend()
    const { data, error } = await auth.verifyOtp({ email: address, token, type: 'email_change' })
    setState(error ? 'open' : 'confirmed')
    if (error) setProblem('That code is wrong or has expired. Enter the one from the newest message, or have it sent again.')
    else if (data.session) toast.success('Your email address has changed')
  }

  if (state === 'confirmed') return <Alert tone="good" title={`${address} has confirmed`} />
  return (
    <form onSubmit={check} className="flex items-start gap-2">
      <TextField
        fieldClassName="flex-1 min-w-0"
        label={<span className="[overflow-wrap:anywhere]">Code sent to {address}</span>}
        name="code"
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        className="font-mono tracking-[0.2em]"
        error={problem}
      />
      <Button type="submit" className="mt-6.5 h-9" busy={state === 'busy' ? 'Checking' : false}>
        Confirm
      </Button>
    </form>
  )
}
