import type { CallReply } from '@operon/contracts/calls'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { TextField } from '../../../ui/Field.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { Asked, EmptyState, Panel } from '../../../ui/Panel.tsx'
import { attempt, toast } from '../../../ui/toast.tsx'
import { newKey, useRefresh, useTopics } from '../queries.ts'
import { counted } from '../words.ts'

type Topic = CallReply<'list-email-topics'>['topics'][number]

/** Subjects of emails: readers leave one and keep the others. */
export function Topics() {
  const topics = useTopics()
  const refresh = useRefresh()
  const [open, setOpen] = useState<Topic | 'new' | null>(null)
  const rows = topics.data?.topics ?? []
  const remove = ({ topic_id, title }: Topic) =>
    attempt(`${title} was not deleted`, async () => {
      await call('delete-email-topic', { topic_id }, newKey())
      await refresh()
      toast.success(`${title} deleted`)
    })
  return (
    <Panel
      flush
      title="Topics"
      actions={
        <Button onClick={() => setOpen('new')}>
          <Plus />
          New topic
        </Button>
      }
    >
      <Asked query={topics} skeleton="m-4 h-24" failed="Your topics could not be loaded" />
      {topics.data && rows.length === 0 ? (
        <EmptyState compact title="No topics yet">
          Give a campaign a topic such as “Events”, and readers can leave that topic without unsubscribing from everything.
        </EmptyState>
      ) : null}
      <ul aria-label="Topics" className="divide-y divide-line">
        {rows.map((row) => (
          <li key={row.topic_id} className="relative flex items-center gap-3 px-4 py-2.5 text-13 hover:bg-raised">
            <span className="min-w-0 flex-1">
              <button
                type="button"
                className="block w-full truncate text-left font-medium before:absolute before:inset-0"
                onClick={() => setOpen(row)}
              >
                {row.title}
              </button>
              <span className="block truncate text-12 text-faint">
                {[row.description, row.left ? `${counted(row.left, 'reader')} left it` : ''].filter(Boolean).join(' · ')}
              </span>
            </span>
            <IconButton label={`Delete ${row.title}`} className="relative" onClick={() => remove(row)}>
              <Trash2 />
            </IconButton>
          </li>
        ))}
      </ul>
      {open ? <TopicDialog of={open === 'new' ? null : open} onClose={() => setOpen(null)} onDone={refresh} /> : null}
    </Panel>
  )
}

function TopicDialog({ of, onClose, onDone }: { of: Topic | null; onClose: () => void; onDone: () => Promise<unknown> }) {
  async function save(typed: (field: string) => string) {
    const given = { title: typed('title'), description: typed('description') }
    await call('save-email-topic', { ...given, ...(of && { topic_id: of.topic_id }) }, newKey())
    await onDone()
  }
  return (
    <FormDialog
      onClose={onClose}
      title={of ? 'Edit topic' : 'New topic'}
      submit={of ? 'Save' : 'Add topic'}
      failed="The topic was not saved"
      save={save}
    >
      <TextField label="Title" name="title" required maxLength={60} data-first defaultValue={of?.title} hint="Readers see it." />
      <TextField
        label="Description (optional)"
        name="description"
        maxLength={200}
        placeholder="Tastings, once a month"
        defaultValue={of?.description}
      />
    </FormDialog>
  )
}
