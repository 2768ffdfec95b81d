import { type FormEvent, useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button } from '../../../ui/Button.tsx'
import { TextField } from '../../../ui/Field.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import { attempt, toast } from '../../../ui/toast.tsx'
import { newKey } from '../queries.ts'

/** Consent that the owner of an address gives by a link. */
export function OptIn() {
  const [busy, setBusy] = useState(false)
  async function ask(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const email = String(new FormData(form).get('email')).trim()
    setBusy(true)
    await attempt('The request was not sent', async () => {
      await call('ask-opt-in', { email }, newKey())
      form.reset()
      toast.success('Asked for consent', `${email} gets one email with a link. Nothing changes until they confirm.`)
    })
    setBusy(false)
  }
  return (
    <Panel title="Ask for consent">
      <form onSubmit={ask} className="flex items-end gap-2">
        <TextField
          label="Email address"
          name="email"
          type="email"
          required
          maxLength={254}
          placeholder="name@example.com"
          hint="Each address can be asked once a day, three times in all. It is the only way back for someone who unsubscribed."
          fieldClassName="min-w-0 flex-1"
        />
        <Button type="submit" busy={busy} className="mb-[1.4rem]">
          Ask
        </Button>
      </form>
    </Panel>
  )
}
