import type { CallReply } from '@operon/contracts/calls'
import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import { confirmed } from '../../shell/ConfirmItsYou.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyField } from '../../ui/Data.tsx'
import { Confirm, Dialog } from '../../ui/Dialog.tsx'
import { Checkbox, TextField } from '../../ui/Field.tsx'
import { day, moment } from '../../ui/format.ts'
import { Alert, Asked, EmptyState, Panel, Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { WebhookLog } from './WebhookLog.tsx'

type Listed = CallReply<'list-webhook-endpoints'>
export type Endpoint = Listed['endpoints'][number]
type Made = CallReply<'webhook-endpoint-create'>
type Change = { kind: 'delete' | 'rotate'; endpoint: Endpoint }

/** Addresses of the person's own that hear what happens in the account. */
export function Webhooks() {
  const { user } = useSession()
  const queries = useQueryClient()
  const key = ['webhook-endpoints', user?.id]
  const listed = useCall('list-webhook-endpoints', {}, { key })
  const [editing, setEditing] = useState<Endpoint | 'new' | null>(null)
  const [made, setMade] = useState<Made | null>(null)
  const [asked, setAsked] = useState<Change | null>(null)
  const [shown, setShown] = useState<Endpoint | null>(null)
  const reload = () => queries.invalidateQueries({ queryKey: key })
  const { endpoints = [], events = [], limit = 0 } = listed.data ?? {}

  async function act(run: () => Promise<unknown>, done: string) {
    await attempt('The webhook was not changed', async () => {
      await run()
      await reload()
      toast.success(done)
    })
  }
  const setPaused = ({ id, name }: Endpoint, paused: boolean) =>
    act(
      () => call('webhook-endpoint-update', { endpoint_id: id, paused }, { idempotencyKey: crypto.randomUUID() }),
      paused ? `${name} is paused` : `${name} is active`,
    )
  async function goOn({ kind, endpoint: { id, name } }: Change) {
    if (kind === 'delete')
      return act(() => call('webhook-endpoint-delete', { endpoint_id: id }, { idempotencyKey: crypto.randomUUID() }), `${name} is deleted`)
    await attempt('The secret was not changed', async () => {
      setMade(await confirmed(() => call('webhook-secret-rotate', { endpoint_id: id })))
      await reload()
    })
  }

  return (
    <Panel
      title="Webhooks"
      flush
      actions={
        <Button onClick={() => setEditing('new')} disabled={!listed.data || endpoints.length >= limit}>
          <Plus />
          Add endpoint
        </Button>
      }
    >
      <p className="border-b border-line p-4 text-13 text-muted">
        Your server is told when something happens in your account. Deliveries are signed and retried for up to a day.{' '}
        <a className="text-signal-text underline" href="/docs#webhooks">
          How to verify them
        </a>
        {listed.data ? <span className="mt-1 block text-12 text-faint">{`${endpoints.length} of ${limit} endpoints used`}</span> : null}
      </p>
      <Asked query={listed} skeleton="m-4 h-16" failed="Your webhooks could not be loaded" />
      {listed.data && !endpoints.length ? (
        <EmptyState compact title="No webhooks yet">
          Add the address of your server and choose the events to send to it.
        </EmptyState>
      ) : null}
      <ul className="divide-y divide-line">
        {endpoints.map((endpoint) => (
          <li key={endpoint.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3 text-13">
            <span className="min-w-0 flex-1 basis-64">
              <span className="flex flex-wrap items-center gap-2 font-medium">
                {endpoint.name}
                <State endpoint={endpoint} />
              </span>
              <span className="block truncate font-mono text-12 text-muted">{endpoint.url}</span>
              <span className="block text-12 text-faint">
                {endpoint.events.length === 1 ? '1 event' : `${endpoint.events.length} events`} · added {day(endpoint.created_at)}
                {endpoint.failing_since ? ` · no success since ${moment(endpoint.failing_since)}` : ''}
              </span>
            </span>
            <span className="flex flex-wrap gap-1">
              <Button variant="ghost" aria-label={`Log of ${endpoint.name}`} onClick={() => setShown(endpoint)}>
                Log
              </Button>
              <Button variant="ghost" aria-label={`Edit ${endpoint.name}`} onClick={() => setEditing(endpoint)}>
                Edit
              </Button>
              {endpoint.state === 'active' ? (
                <Button variant="ghost" aria-label={`Pause ${endpoint.name}`} onClick={() => setPaused(endpoint, true)}>
                  Pause
                </Button>
              ) : (
                <Button variant="ghost" aria-label={`Resume ${endpoint.name}`} onClick={() => setPaused(endpoint, false)}>
                  Resume
                </Button>
              )}
              <Button variant="ghost" aria-label={`New secret for ${endpoint.name}`} onClick={() => setAsked({ kind: 'rotate', endpoint })}>
                New secret
              </Button>
              <Button variant="ghost" aria-label={`Delete ${endpoint.name}`} onClick={() => setAsked({ kind: 'delete', endpoint })}>
                Delete
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {editing ? (
        <EndpointForm
          endpoint={editing === 'new' ? null : editing}
          events={events}
          onClose={() => setEditing(null)}
          onDone={(added) => {
            setEditing(null)
            setMade(added)
            void reload()
          }}
        />
      ) : null}
      <Dialog
        open={made !== null}
        onClose={() => setMade(null)}
        title="Your signing secret"
        description="It is shown only once. Save it where your server keeps its secrets."
        footer={
          <Button variant="primary" onClick={() => setMade(null)}>
            I have saved it
          </Button>
        }
      >
        {made ? <CopyField label="Signing secret" value={made.secret} /> : null}
      </Dialog>
      <Confirm
        open={asked !== null}
        onClose={() => setAsked(null)}
        title={asked?.kind === 'delete' ? `Delete ${asked.endpoint.name}?` : `New secret for ${asked?.endpoint.name ?? 'this webhook'}?`}
        action={asked?.kind === 'delete' ? 'Delete webhook' : 'Make a new secret'}
        danger={asked?.kind === 'delete'}
        onConfirm={() => asked && goOn(asked)}
      >
        {asked?.kind === 'delete'
          ? 'Nothing is sent to it any more, and its log is deleted. This cannot be undone.'
          : 'Deliveries are signed with the old and the new secret for 24 hours, then with the new one alone.'}
      </Confirm>
      {shown ? <WebhookLog endpoint={shown} onClose={() => setShown(null)} /> : null}
    </Panel>
  )
}

function State({ endpoint: { state, failing_since } }: { endpoint: Endpoint }) {
  if (state === 'paused') return <Pill>Paused</Pill>
  if (state === 'failing') return <Pill tone="bad">Paused after failures</Pill>
  return failing_since ? <Pill tone="warn">Failing</Pill> : <Pill tone="good">Active</Pill>
}

type FormProps = { endpoint: Endpoint | null; events: Listed['events']; onClose: () => void; onDone: (made: Made | null) => void }
function EndpointForm({ endpoint, events, onClose, onDone }: FormProps) {
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const chosen = form.getAll('event').map(String)
    const name = String(form.get('name')).trim()
    if (!chosen.length) return setProblem('Choose at least one event.')
    setBusy(true)
    setProblem(undefined)
    try {
      if (endpoint) {
        const idempotencyKey = crypto.randomUUID()
        await call('webhook-endpoint-update', { endpoint_id: endpoint.id, name, events: chosen }, { idempotencyKey })
        return onDone(null)
      }
      onDone(await confirmed(() => call('webhook-endpoint-create', { url: String(form.get('url')).trim(), name, events: chosen })))
    } catch (error) {
      setProblem((error as Error).message)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog open onClose={onClose} title={endpoint ? `Edit ${endpoint.name}` : 'Add a webhook endpoint'}>
      <form onSubmit={save} className="flex flex-col gap-4">
        {problem ? <Alert title={endpoint ? 'The endpoint was not changed' : 'The endpoint was not added'}>{problem}</Alert> : null}
        <TextField label="Name" name="name" required maxLength={80} defaultValue={endpoint?.name ?? ''} hint="Such as “Bookkeeping”." />
        {endpoint ? (
          <TextField label="Address" value={endpoint.url} readOnly hint="To use another address, add an endpoint for it." />
        ) : (
          <TextField
            label="Address"
            name="url"
            type="url"
            required
            maxLength={2000}
            placeholder="https://example.com/hooks"
            hint="A public address that begins with https://."
          />
        )}
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1.5 text-13 font-medium">Events</legend>
          {events.map(({ name, title, description }) => (
            <Checkbox key={name} name="event" value={name} defaultChecked={endpoint?.events.includes(name) ?? false}>
              <span className="text-text">{title}</span>
              <span className="block text-12 text-faint">{description}</span>
            </Checkbox>
          ))}
        </fieldset>
        <Button type="submit" variant="primary" busy={busy ? 'Saving' : false}>
          {endpoint ? 'Save' : 'Add endpoint'}
        </Button>
      </form>
    </Dialog>
  )
}
