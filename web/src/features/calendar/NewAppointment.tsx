import { call } from '../../api/call.ts'
import { Checkbox, TextArea, TextField } from '../../ui/Field.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { isoDay, minutesOf } from './days.ts'
import { newKey } from './queries.ts'

const local = (date: Date) => {
  const minutes = minutesOf(date)
  return `${isoDay(date)}T${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}

type Props = { times: { starts_at: Date; ends_at: Date }; onClose: () => void; onDone: () => void }
export function NewAppointment({ times, onClose, onDone }: Props) {
  async function save(typed: (field: string) => string, data: FormData) {
    const [starts_at, ends_at] = [new Date(typed('starts_at')), new Date(typed('ends_at'))]
    if (!(ends_at.getTime() - starts_at.getTime() >= 300_000)) throw new Error('It has to end at least five minutes after it begins.')
    const given = { title: typed('title'), place: typed('place'), notes: typed('notes'), blocks: data.has('blocks') }
    const times = { starts_at: starts_at.toISOString(), ends_at: ends_at.toISOString() }
    const { appointment_id } = await call('create-appointment', { ...given, ...times }, newKey())
    toast.undo(
      `“${given.title}” is in your calendar`,
      () => void attempt('It is still in your calendar', () => call('delete-appointment', { appointment_id }, newKey()).then(onDone)),
    )
    onDone()
  }
  return (
    <FormDialog onClose={onClose} title="New appointment" submit="Add" failed="It was not added" save={save}>
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
    </FormDialog>
  )
}
