import { type FormEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Checkbox, TextArea, TextField } from '../../ui/Field.tsx'
import { Alert } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { isoDay, minutesOf } from './days.ts'
import { newKey } from './queries.ts'

const local = (date: Date) => {
  const minutes = minutesOf(date)
  return `${isoDay(date)}T${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}

type Props = { times: { starts_at: Date; ends_at: Date }; onClose: () => void; onDone: () => void }
export function NewAppointment({ times, onClose, onDone }: Props) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const said = (name: string) => String(data.get(name) ?? '')
    const [starts_at, ends_at] = [new Date(said('starts_at')), new Date(said('ends_at'))]
    if (!(ends_at.getTime() - starts_at.getTime() >= 300_000)) return setFailure('It has to end at least five minutes after it begins.')
    setBusy(true)
    setFailure(null)
    try {
      const given = { title: said('title'), place: said('place'), notes: said('notes'), blocks: data.has('blocks') }
      const { appointment_id } = await call(
        'create-appointment',
        { ...given, starts_at: starts_at.toISOString(), ends_at: ends_at.toISOString() },
        newKey(),
      )
      onClose()
      toast.undo(`“${given.title}” is in your calendar`, () => void call('delete-appointment', { appointment_id }, newKey()).then(onDone))
      onDone()
    } catch (error) {
      setFailure((error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="New appointment"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="new-appointment" busy={busy}>
            Add
          </Button>
        </>
      }
    >
      <form id="new-appointment" onSubmit={save} className="flex flex-col gap-4">
        <TextField label="Title" name="title" required maxLength={200} data-first />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Starts" name="starts_at" type="datetime-local" required defaultValue={local(times.starts_at)} />
          <TextField label="Ends" name="ends_at" type="datetime-local" required defaultValue={local(times.ends_at)} />
        </div>
        <TextField label="Place (optional)" name="place" maxLength={500} />
        <TextArea label="Notes (optional)" name="notes" maxLength={2000} hint="Only you see them." />
        <Checkbox name="blocks" defaultChecked>
          Busy: nobody can book this time
        </Checkbox>
        {failure ? <Alert title="It was not added">{failure}</Alert> : null}
      </form>
    </Dialog>
  )
}
