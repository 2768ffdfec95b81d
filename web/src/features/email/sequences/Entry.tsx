import { type FormEvent, useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox, Options, SelectField, TextField } from '../../../ui/Field.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import { attempt, toast } from '../../../ui/toast.tsx'
import { newKey, type Sequence, type Trigger, useEmailStatus, useForms, useRefresh, useTags } from '../queries.ts'
import { TopicField } from '../TopicField.tsx'

const ends: [Sequence['sequence']['ends_on'][number], string][] = [
  ['reply', 'Answer an email'],
  ['sale', 'Buy something'],
  ['booking', 'Book an appointment'],
]

const kinds: [Trigger['kind'], string][] = [
  ['hand', 'Only when I add them'],
  ['tag', 'When they get a tag'],
  ['form', 'When they send a lead form'],
]

/** The name, how people come in besides being added by hand, and who sends. */
export function Entry({ sequence }: { sequence: Sequence['sequence'] }) {
  const { sequence_id, version } = sequence
  const refresh = useRefresh()
  const forms = useForms().data?.forms ?? []
  const tags = useTags().data?.tags ?? []
  const senders = useEmailStatus().data?.senders ?? []
  const [name, setName] = useState(sequence.name)
  const [kind, setKind] = useState(sequence.trigger.kind)
  const [tag, setTag] = useState(sequence.trigger.kind === 'tag' ? sequence.trigger.tag : '')
  const [form, setForm] = useState(sequence.trigger.kind === 'form' ? sequence.trigger.form_id : '')
  const [sender, setSender] = useState(sequence.sender_id ?? '')
  const [endsOn, setEndsOn] = useState(sequence.ends_on)
  const [topic, setTopic] = useState(sequence.topic_id ?? null)
  const [busy, setBusy] = useState(false)
  const trigger: Trigger | null =
    kind === 'hand' ? { kind } : kind === 'tag' ? (tag.trim() ? { kind, tag: tag.trim() } : null) : form ? { kind, form_id: form } : null
  async function save(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    await attempt('The settings were not saved', async () => {
      const given = { name: name.trim(), trigger: trigger!, ends_on: endsOn, sender_id: sender || null, topic_id: topic }
      await call('update-sequence', { sequence_id, version, ...given }, newKey())
      await refresh()
      toast.success('Settings saved')
    })
    setBusy(false)
  }
  return (
    <Panel title="Settings">
      <form onSubmit={save} className="flex flex-col gap-3">
        <TextField label="Name" required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        <SelectField label="People enter" value={kind} onChange={(event) => setKind(event.target.value as Trigger['kind'])}>
          <Options of={kinds} />
        </SelectField>
        {kind === 'tag' ? (
          <>
            <TextField
              label="Tag"
              required
              maxLength={40}
              list="sequence-tags"
              value={tag}
              onChange={(event) => setTag(event.target.value)}
            />
            <datalist id="sequence-tags">
              {tags.map((each) => (
                <option key={each.tag} value={each.tag} />
              ))}
            </datalist>
          </>
        ) : null}
        {kind === 'form' ? (
          <SelectField
            label="Lead form"
            value={form}
            hint={forms.length ? 'Only people who agreed to get emails enter.' : 'Create a lead form under Contacts first.'}
            onChange={(event) => setForm(event.target.value)}
          >
            <option value="">Choose a form</option>
            <Options of={forms.map(({ id, title }) => [id, title])} />
          </SelectField>
        ) : null}
        <fieldset className="flex flex-col gap-1.5">
          <legend className="mb-1.5 text-13 font-medium">They leave early when they</legend>
          {ends.map(([end, label]) => (
            <Checkbox
              key={end}
              checked={endsOn.includes(end)}
              onChange={({ target }) => setEndsOn(endsOn.filter((each) => each !== end).concat(target.checked ? end : []))}
            >
              {label}
            </Checkbox>
          ))}
        </fieldset>
        <SelectField label="From" value={sender} onChange={(event) => setSender(event.target.value)}>
          <option value="">The default sender</option>
          <Options of={senders.map(({ sender_id, name: who, email }) => [sender_id, `${who} <${email}>`])} />
        </SelectField>
        <TopicField value={topic} onChange={setTopic} />
        <Button type="submit" className="self-end" disabled={!trigger || !name.trim()} busy={busy}>
          Save settings
        </Button>
      </form>
    </Panel>
  )
}
