import { texts } from '@operon/contracts/messages'
import { type FormEvent, useState } from 'react'
import { loadBackend, useSession } from '../../api/session.ts'
import { confirmed } from '../../shell/ConfirmItsYou.tsx'
import { Button } from '../../ui/Button.tsx'
import { PasswordField, TextField } from '../../ui/Field.tsx'
import { Alert, Panel } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { codeProblem, SendAgain } from '../../ui/WaitForCode.tsx'

export function PasswordPanel() {
  const { user } = useSession()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  // An open session must not be enough: the owner reads a code from their email.
  const [codeSent, setCodeSent] = useState(false)

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const data = new FormData(form)
    const password = String(data.get('password'))
    const nonce = String(data.get('nonce') ?? '').trim()
    if (password !== data.get('confirm')) return setProblem(texts.passwordsDontMatch)
    setProblem(undefined)
    setBusy(true)
    try {
      await confirmed(() => changePassword(password, nonce), { asks: false })
      form.reset()
      setCodeSent(false)
      toast.success('Your password has changed', 'Other devices have been signed out.')
    } catch (error) {
      if ((error as { code?: string }).code !== 'reauthentication_needed')
        return setProblem(codeProblem(error as { code?: string; message: string }))
      setProblem(await sendCode())
    } finally {
      setBusy(false)
    }
  }

  async function sendCode() {
    const { error } = await askForCode()
    setCodeSent(!error)
    return error?.message
  }

  return (
    <Panel title="Password">
      <form onSubmit={save} className="flex max-w-md flex-col gap-4">
        {problem ? <Alert title={problem} /> : null}
        <input type="email" autoComplete="username" defaultValue={user?.email ?? ''} readOnly hidden />
        <PasswordField
          label="New password"
          name="password"
          autoComplete="new-password"
          required
          minLength={8}
          hint="8 characters or more, with an uppercase letter, a lowercase letter and a special character."
        />
        <PasswordField label="Confirm password" name="confirm" autoComplete="new-password" required />
        {codeSent ? (
          <TextField
            label="Six-digit code"
            name="nonce"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            autoFocus
            className="font-mono tracking-[0.2em]"
            hint={`To make sure it is you, we sent a code to ${user?.email ?? user?.phone}.`}
          />
        ) : null}
        {codeSent ? <SendAgain send={askForCode} /> : null}
        <Button type="submit" className="self-start" busy={busy ? 'Saving' : false}>
          Change password
        </Button>
      </form>
    </Panel>
  )
}

async function askForCode() {
  const { auth } = await loadBackend()
  return auth.reauthenticate()
}

async function changePassword(password: string, nonce: string) {
  const { auth } = await loadBackend()
  const { error } = await auth.updateUser({ password, ...(nonce && { nonce }) })
  if (error) throw error
}
