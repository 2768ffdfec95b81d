import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { leadBack } from '../../api/arrival.ts'
import { loadBackend, useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { confirmed } from './ConfirmItsYou.tsx'

export function ProfilePanel() {
  const { user } = useSession()
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const name = String(data.get('name')).trim()
    const email = String(data.get('email')).trim()
    setBusy(true)
    try {
      const { auth } = await loadBackend()
      const moves = email !== user?.email
      await confirmed(async () => {
        const { error } = await auth.updateUser(
          { data: { name }, ...(moves ? { email } : {}) },
          { emailRedirectTo: leadBack(paths.auth, 'email_change', user?.email) },
        )
        if (error) throw error
      })
      await queries.invalidateQueries({ queryKey: ['profile'] })
      toast.success(
        'Profile saved',
        moves ? `Open the links we sent to ${user?.email} and ${email}; the address changes when both are confirmed.` : undefined,
      )
    } catch (error) {
      toast.error('The profile was not saved', (error as Error).message)
    } finally {
      setBusy(false)
    }
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
          maxLength={120}
          defaultValue={user?.user_metadata.name ?? ''}
          hint="How the dashboard greets you."
        />
        <TextField
          label="Email"
          name="email"
          type="email"
          autoComplete="email"
          required
          defaultValue={user?.email ?? ''}
          hint="A change is confirmed from both addresses."
        />
        <Button type="submit" variant="primary" className="self-start" busy={busy ? 'Saving' : false}>
          Save profile
        </Button>
      </form>
    </Panel>
  )
}
