import { type FormEvent, useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Options, SelectField, TextArea, TextField } from '../../../ui/Field.tsx'
import { Alert } from '../../../ui/Panel.tsx'
import { toast } from '../../../ui/toast.tsx'
import { type Database, useNotionRefresh } from './queries.ts'

type Props = {
  title: string
  databases: Database[]
  database: string
  onClose: () => void
  onMade: (page: string | null) => void
}

export function NewPage({ title: begun, databases, database: chosen, onClose, onMade }: Props) {
  const refresh = useNotionRefresh()
  const [title, setTitle] = useState(begun)
  const [text, setText] = useState('')
  const [database, setDatabase] = useState(chosen || databases[0]?.id || '')
  const [key] = useState(() => crypto.randomUUID())
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)

  async function write(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    setProblem(null)
    try {
      const input = { database, title: title.trim(), ...(text.trim() && { text: text.trim() }) }
      const { id } = await call('run-app-action', { app: 'notion', action: 'add-page', input }, { idempotencyKey: key })
      toast.success('Written to Notion')
      await refresh()
      onMade(id)
    } catch (error) {
      setProblem((error as Error).message)
      setBusy(false)
    }
  }

  return (
    <Dialog open onClose={onClose} title="New page in Notion">
      <form onSubmit={write} className="flex flex-col gap-4">
        {problem ? <Alert title="The page was not written">{problem}</Alert> : null}
        <TextField label="Title" value={title} maxLength={200} required data-first onChange={(event) => setTitle(event.target.value)} />
        <SelectField label="Database" value={database} onChange={(event) => setDatabase(event.target.value)}>
          <Options of={databases.map((each) => [each.id, each.title])} />
        </SelectField>
        <TextArea label="Text" value={text} maxLength={2000} onChange={(event) => setText(event.target.value)} />
        <Button
          type="submit"
          variant="primary"
          className="self-start"
          busy={busy ? 'Writing' : false}
          disabled={!title.trim() || !database}
        >
          Write the page
        </Button>
      </form>
    </Dialog>
  )
}
