import { texts } from '@operon/contracts/messages'
import { type FormEvent, useState } from 'react'
import { loadBackend, useSession } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { Alert, Panel } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { confirmed } from './ConfirmItsYou.tsx'

export function PasswordPanel() {
  const { user } = useSession()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const data = new FormData(form)
    const password = String(data.get('password'))
    if (password !== data.get('confirm')) return setProblem(texts.passwordsDontMatch)
    setProblem(undefined)
    setBusy(true)
    try {
      const { auth } = await loadBackend()
      await confirmed(async () => {
        const { error } = await auth.updateUser({ password })
        if (error) throw error
      })
      form.reset()
      toast.success('Your password is changed', 'Other devices have been signed out.')
    } catch (error) {
      setProblem((error as Error).message)
    } finally {
      setBusy(false)
    }
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
        <Button type="submit" className="self-start" busy={busy ? 'Saving' : false}>
          Change password
        </Button>
      </form>
    </Panel>
  )
}
