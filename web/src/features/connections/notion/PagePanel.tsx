import type { CallReply } from '@operon/contracts/calls'
import { ExternalLink } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { SelectField, TextField } from '../../../ui/Field.tsx'
import { moment } from '../../../ui/format.ts'
import { Alert, Asked } from '../../../ui/Panel.tsx'
import { toast } from '../../../ui/toast.tsx'
import { type NotionPage, useNotionRefresh, usePage } from './queries.ts'
import { TwoSides } from './TwoSides.tsx'

type Field = NotionPage['editable'][number]
type Values = Record<Field, string>
type Conflict = CallReply<'update-notion-page'>['conflicts'][number]
const labels: Record<Field, string> = { title: 'Title', status: 'Status', priority: 'Priority', due_date: 'Due date' }
const fields = Object.keys(labels) as Field[]

export function PagePanel({ id, onClose }: { id: string; onClose: () => void }) {
  const asked = usePage(id)
  return (
    <Dialog open onClose={onClose} title={asked.data?.page.title ?? 'Page'} description={asked.data?.page.database} side="right">
      <Asked query={asked} skeleton="h-64" failed="The page could not be loaded" />
      {asked.data ? <Editor shown={asked.data} onClose={onClose} /> : null}
    </Dialog>
  )
}

const valuesOf = (page: NotionPage): Values => ({
  title: page.title,
  status: page.status ?? '',
  priority: page.priority ?? '',
  due_date: page.due_date ?? '',
})

function Editor({ shown, onClose }: { shown: CallReply<'show-notion-page'>; onClose: () => void }) {
  const refresh = useNotionRefresh()
  // As they stood when the person began: a later change over there is a conflict, not a new beginning.
  const [base, setBase] = useState(() => valuesOf(shown.page))
  const [values, setValues] = useState(base)
  const [conflicts, setConflicts] = useState<Conflict[]>([])
  const [busy, setBusy] = useState(false)
  const { page, options } = shown
  const changed = fields.filter((field) => values[field] !== base[field])
  const set = (field: Field) => (event: { target: { value: string } }) =>
    setValues((before) => ({ ...before, [field]: event.target.value }))

  async function write(from: Values, to: Values, wanted: Field[]) {
    const of = (given: Values) => Object.fromEntries(wanted.map((field) => [field, given[field] || null]))
    return call('update-notion-page', { page_id: page.id, base: of(from), changes: of(to) }, { idempotencyKey: crypto.randomUUID() })
  }
  async function save(event?: FormEvent, from = base, to = values, wanted = changed) {
    event?.preventDefault()
    setBusy(true)
    try {
      const answer = await write(from, to, wanted)
      setConflicts(answer.conflicts)
      if (!answer.saved) return
      setBase(valuesOf(answer.page))
      setValues(valuesOf(answer.page))
      toast.undo('Saved in Notion', async () => {
        await write(to, from, wanted)
        await refresh()
      })
      await refresh()
      onClose()
    } catch (error) {
      toast.error('Not saved in Notion', (error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  const theirs = (from: Values) => ({ ...from, ...Object.fromEntries(conflicts.map((each) => [each.field, each.theirs ?? ''])) })
  function takeTheirs() {
    const next = theirs(values)
    const newBase = theirs(base)
    setBase(newBase)
    setValues(next)
    setConflicts([])
    const left = fields.filter((field) => next[field] !== newBase[field])
    if (left.length) void save(undefined, newBase, next, left)
    else void refresh()
  }

  return (
    <form onSubmit={save} className="flex flex-col gap-4 text-13" noValidate>
      {conflicts.length ? (
        <Alert tone="warn" title="Changed in Notion since you opened it">
          <p className="mb-2">Nothing was saved. Choose which values stay.</p>
          <div className="mb-3">
            <TwoSides
              of={conflicts.map(({ field, theirs, yours }) => ({
                ...{ field, label: labels[field] },
                ...{ there: theirs ?? 'Empty', here: yours ?? 'Empty' },
              }))}
            />
          </div>
          <p className="flex flex-wrap gap-2">
            <Button variant="primary" busy={busy} onClick={() => save(undefined, theirs(base))}>
              Keep mine
            </Button>
            <Button busy={busy} onClick={takeTheirs}>
              Keep Notion’s
            </Button>
          </p>
        </Alert>
      ) : null}
      <TextField label="Title" value={values.title} maxLength={300} required onChange={set('title')} />
      {page.editable.includes('status') ? (
        <Choice label="Status" value={values.status} options={options.status} onChange={set('status')} />
      ) : null}
      {page.editable.includes('priority') ? (
        <Choice label="Priority" value={values.priority} options={options.priority} onChange={set('priority')} />
      ) : null}
      {page.editable.includes('due_date') ? (
        <TextField label="Due date" type="date" value={values.due_date} onChange={set('due_date')} />
      ) : null}
      <dl className="grid grid-cols-2 gap-3 border-t border-line pt-4">
        <div>
          <dt className="text-12 text-faint">Assignee</dt>
          <dd>{page.assignee ?? 'Nobody'}</dd>
        </div>
        <div>
          <dt className="text-12 text-faint">Last edited</dt>
          <dd>{page.last_edited ? moment(page.last_edited) : 'Not known'}</dd>
        </div>
      </dl>
      <p className="text-12 text-faint">Assign people in Notion. Other fields of the page are left as they are.</p>
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          variant="primary"
          busy={busy ? 'Saving' : false}
          disabled={!changed.length || !values.title.trim() || conflicts.length > 0}
        >
          Save in Notion
        </Button>
        {page.url ? (
          <a href={page.url} target="_blank" rel="noreferrer" className={buttonClass({ variant: 'ghost' })}>
            <ExternalLink />
            Open in Notion
          </a>
        ) : null}
      </div>
    </form>
  )
}

type ChoiceProps = { label: string; value: string; options: string[]; onChange: (event: { target: { value: string } }) => void }
function Choice({ label, value, options, onChange }: ChoiceProps) {
  const listed = value && !options.includes(value) ? [value, ...options] : options
  return (
    <SelectField label={label} value={value} onChange={onChange}>
      <option value="">None</option>
      {listed.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </SelectField>
  )
}
