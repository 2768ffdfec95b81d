import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { TextField } from '../../../ui/Field.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { attempt, toast } from '../../../ui/toast.tsx'
import { newKey, useRefresh } from '../queries.ts'
import type { Pipeline } from './queries.ts'

type Row = { key: string; id?: string; name: string }
type Props = { pipeline?: Pipeline; onClose: () => void; onMade: (id: string | undefined) => void }
const MOST = 12

/** The name of a pipeline and its stages in their order. */
export function PipelineDialog({ pipeline, onClose, onMade }: Props) {
  const refresh = useRefresh()
  const [rows, setRows] = useState<Row[]>(
    pipeline?.stages.map((stage) => ({ key: stage.id, ...stage })) ??
      ['New', 'In progress', 'Offer sent'].map((name) => ({ key: name, name })),
  )
  const set = (at: number, name: string) => setRows(rows.map((row, index) => (index === at ? { ...row, name } : row)))
  const swap = (at: number) => setRows(rows.toSpliced(at, 2, rows[at + 1]!, rows[at]!))
  async function save(typed: (field: string) => string) {
    const name = typed('name')
    const stages = rows.map((row) => ({ ...(row.id && { id: row.id }), name: row.name.trim() }))
    const options = { idempotencyKey: newKey() }
    if (pipeline) await call('update-pipeline', { pipeline_id: pipeline.id, version: pipeline.version, name, stages }, options)
    else onMade((await call('create-pipeline', { name, stages: stages.map((stage) => stage.name) }, options)).pipeline_id)
    await refresh()
    toast.success('Pipeline saved')
  }
  const remove = () =>
    attempt('The pipeline was not deleted', async () => {
      await call('delete-pipeline', { pipeline_id: pipeline!.id }, { idempotencyKey: newKey() })
      onMade(undefined)
      await refresh()
      onClose()
    })
  return (
    <FormDialog
      onClose={onClose}
      title={pipeline ? 'Edit pipeline' : 'New pipeline'}
      description="Won and lost are not stages: a deal can be closed from any stage."
      submit="Save"
      failed="The pipeline was not saved"
      save={save}
      beside={
        pipeline ? (
          <Button variant="ghost" className="mr-auto" onClick={remove}>
            Delete pipeline
          </Button>
        ) : null
      }
    >
      <TextField label="Name" name="name" required maxLength={60} data-first defaultValue={pipeline?.name ?? ''} placeholder="Repairs" />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-13 font-medium">Stages</legend>
        {rows.map((row, at) => (
          <div key={row.key} className="flex items-end gap-1">
            <TextField
              label={<span className="sr-only">Stage {at + 1}</span>}
              fieldClassName="flex-1"
              required
              maxLength={60}
              value={row.name}
              onChange={(event) => set(at, event.target.value)}
            />
            <IconButton label={`Move ${row.name || 'stage'} up`} disabled={at === 0} onClick={() => swap(at - 1)}>
              <ArrowUp />
            </IconButton>
            <IconButton label={`Move ${row.name || 'stage'} down`} disabled={at === rows.length - 1} onClick={() => swap(at)}>
              <ArrowDown />
            </IconButton>
            <IconButton label={`Remove ${row.name || 'stage'}`} disabled={rows.length === 1} onClick={() => setRows(rows.toSpliced(at, 1))}>
              <X />
            </IconButton>
          </div>
        ))}
        {rows.length < MOST ? (
          <div>
            <Button onClick={() => setRows([...rows, { key: newKey(), name: '' }])}>
              <Plus />
              Add stage
            </Button>
          </div>
        ) : null}
      </fieldset>
    </FormDialog>
  )
}
