import type { CallReply } from '@operon/contracts/calls'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Switch, TextArea } from '../../ui/Field.tsx'
import { day } from '../../ui/format.ts'
import { Asked, EmptyState, Panel } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'

type Memory = CallReply<'ai-memory'>['memories'][number]

/** The assistants' memory: seen, changed, deleted, and switched off. */
export function MemoryPanel() {
  const queries = useQueryClient()
  const query = useCall('ai-memory', {}, { key: ['ai-memory'] })
  const change = (what: string, work: () => Promise<unknown>) =>
    attempt(what, async () => {
      await work()
      await queries.invalidateQueries({ queryKey: ['ai-memory'] })
    })
  const memories = query.data?.memories ?? []
  return (
    <Panel
      title="Memory"
      actions={
        memories.length > 1 ? (
          <Button variant="ghost" onClick={() => change('Nothing was deleted', () => call('ai-memory-delete', {}))}>
            Delete all
          </Button>
        ) : null
      }
    >
      <p className="max-w-[60ch] text-13 text-muted">
        The assistants can keep what you say about yourself and your business, in your own words. They never keep what they looked up.
      </p>
      <Asked query={query} skeleton="mt-4 h-16" failed="Your memories could not be loaded" />
      {query.data ? (
        <>
          <div className="mt-4 flex items-center gap-3 text-13">
            <Switch
              label="Keep memories"
              checked={query.data.on}
              onChange={(on) => change('The setting was not changed', () => call('ai-memory-switch', { on }))}
            />
            <span aria-hidden="true">
              {query.data.on ? 'On' : 'Off. The assistants save nothing new and don’t use what they saved before.'}
            </span>
          </div>
          {memories.length === 0 ? (
            <EmptyState title="Nothing remembered yet">Say “Remember that …” to any assistant.</EmptyState>
          ) : (
            <ul className="mt-4 flex flex-col">
              {memories.map((memory) => (
                <Row key={memory.id} memory={memory} change={change} />
              ))}
            </ul>
          )}
        </>
      ) : null}
    </Panel>
  )
}

function Row({ memory, change }: { memory: Memory; change: (what: string, work: () => Promise<unknown>) => Promise<unknown> }) {
  const [draft, setDraft] = useState<string | null>(null)
  async function save(event: FormEvent) {
    event.preventDefault()
    await change('The memory was not changed', () => call('ai-memory-edit', { memory_id: memory.id, content: draft! }))
    setDraft(null)
  }
  if (draft !== null)
    return (
      <li className="border-t border-line py-3">
        <form className="flex flex-col gap-2" onSubmit={save}>
          <TextArea label="Memory" value={draft} maxLength={300} onChange={(event) => setDraft(event.target.value)} />
          <div className="flex gap-2">
            <Button type="submit" disabled={!draft.trim()}>
              Save
            </Button>
            <Button variant="ghost" onClick={() => setDraft(null)}>
              Cancel
            </Button>
          </div>
        </form>
      </li>
    )
  return (
    <li className="flex flex-wrap items-center gap-3 border-t border-line py-2">
      <p className="min-w-0 flex-1 text-13 break-words">
        {memory.content} <span className="text-12 text-faint">{day(memory.created_at)}</span>
      </p>
      <Button variant="ghost" aria-label={`Edit “${memory.content}”`} onClick={() => setDraft(memory.content)}>
        Edit
      </Button>
      <Button
        variant="ghost"
        aria-label={`Delete “${memory.content}”`}
        onClick={() => change('The memory was not deleted', () => call('ai-memory-delete', { memory_id: memory.id }))}
      >
        Delete
      </Button>
    </li>
  )
}
