import { Columns3, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { TextField } from '../../ui/Field.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { useSearch } from '../../ui/useSearch.ts'
import type { Address } from './address.ts'
import { ColumnsDialog } from './fields/ColumnsDialog.tsx'
import { newKey, useRefresh } from './queries.ts'

const parts = ['q', 'temperature', 'status', 'tag', 'sort', 'in', 'field', 'value', 'cols'] as const
const queryIn = (search: URLSearchParams) =>
  new URLSearchParams(parts.flatMap((part): [string, string][] => (search.get(part) ? [[part, search.get(part)!]] : []))).toString()

/** Filters, order and columns that were saved under a name, and where the columns are chosen. */
export function Views({ address }: { address: Address }) {
  const { search, change } = useSearch()
  const refresh = useRefresh()
  const views = useCall('list-contact-views', {}, { key: ['crm', 'views'] }).data?.views ?? []
  const [opened, setOpened] = useState<'columns' | 'save' | null>(null)
  const now = queryIn(search)
  const show = (query: string) => {
    const wanted = new URLSearchParams(query)
    change(Object.fromEntries(parts.map((part) => [part, wanted.get(part)])))
  }
  const current = views.find(({ query }) => query === now)
  const remove = ({ id, name, query }: (typeof views)[number]) =>
    attempt(`${name} was not deleted`, async () => {
      await call('delete-contact-view', { view_id: id }, { idempotencyKey: newKey() })
      await refresh()
      toast.undo(`View ${name} deleted`, () =>
        attempt(`${name} was not restored`, async () => {
          await call('save-contact-view', { name, query }, { idempotencyKey: newKey() })
          await refresh()
        }),
      )
    })
  return (
    <div className="flex flex-wrap items-center gap-2">
      <fieldset className="flex min-w-0 flex-wrap gap-1" aria-label="Views">
        {views.length ? (
          <Button variant="ghost" aria-pressed={now === ''} className={cx(now === '' && 'bg-raised !text-text')} onClick={() => show('')}>
            All contacts
          </Button>
        ) : null}
        {views.map((view) => (
          <Button
            key={view.id}
            variant="ghost"
            aria-pressed={view === current}
            className={cx(view === current && 'bg-raised !text-text')}
            onClick={() => show(view.query)}
          >
            {view.name}
          </Button>
        ))}
      </fieldset>
      {current ? (
        <IconButton label={`Delete view ${current.name}`} onClick={() => remove(current)}>
          <Trash2 />
        </IconButton>
      ) : null}
      <span className="ml-auto flex gap-2">
        {now && !current ? <Button onClick={() => setOpened('save')}>Save view</Button> : null}
        <Button onClick={() => setOpened('columns')}>
          <Columns3 />
          Columns
        </Button>
      </span>
      {opened === 'columns' ? <ColumnsDialog address={address} onClose={() => setOpened(null)} /> : null}
      {opened === 'save' ? (
        <FormDialog
          onClose={() => setOpened(null)}
          title="Save view"
          description="Its filters, order and columns, under a name."
          submit="Save"
          failed="The view was not saved"
          save={async (typed) => {
            await call('save-contact-view', { name: typed('name'), query: now }, { idempotencyKey: newKey() })
            await refresh()
          }}
        >
          <TextField label="Name" name="name" required maxLength={60} data-first />
        </FormDialog>
      ) : null}
    </div>
  )
}
