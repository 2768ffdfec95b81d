import { type FormEvent, useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { TextField } from '../../../ui/Field.tsx'
import { attempt } from '../../../ui/toast.tsx'
import { useSearch } from '../../../ui/useSearch.ts'
import { newKey, useEmailStatus, useRefresh } from '../queries.ts'
import { blankEmail } from './blank.ts'

/** Begins with one email. Nothing is sent from here. */
export function NewSequence({ onClose }: { onClose: () => void }) {
  const { change } = useSearch()
  const refresh = useRefresh()
  const senders = useEmailStatus().data?.senders
  const [name, setName] = useState('')
  const [busy, setBusy] = useState(false)
  async function create(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    const done = await attempt('The sequence was not created', async () => {
      const steps = [{ wait_minutes: 0, document: blankEmail(senders) }]
      const { sequence_id } = await call('create-sequence', { name: name.trim(), steps }, newKey())
      void refresh()
      change({ new: undefined, sequence: sequence_id })
    })
    if (!done) setBusy(false)
  }
  return (
    <Dialog open onClose={onClose} title="New sequence" description="You get a draft. Nothing is sent until you start it.">
      <form onSubmit={create} className="flex flex-col gap-4">
        <TextField
          label="Name"
          hint="Only you see it. Recipients see the subjects."
          data-first=""
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
          placeholder="Welcome series"
        />
        <Button type="submit" variant="primary" className="self-end" disabled={!name.trim()} busy={busy}>
          Create draft
        </Button>
      </form>
    </Dialog>
  )
}
