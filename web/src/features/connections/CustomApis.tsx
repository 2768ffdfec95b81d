import type { CallReply } from '@operon/contracts/calls'
import { useQueryClient } from '@tanstack/react-query'
import { Plug } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm, Dialog } from '../../ui/Dialog.tsx'
import { ago } from '../../ui/format.ts'
import { Alert, Asked, EmptyState } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { StatePill } from './AppPanel.tsx'
import { CustomApiDialog } from './CustomApiDialog.tsx'
import { CHANNEL, type Told } from './connecting.ts'
import { McpTools } from './McpTools.tsx'

export type CustomApi = CallReply<'list-custom-apis'>['apis'][number]

const counted = ({ kind, operations }: CustomApi) =>
  kind === 'mcp'
    ? `MCP server, ${operations === 1 ? 'one tool' : `${operations || 'no'} tools`} allowed`
    : operations === 1
      ? 'one operation'
      : `${operations} operations`

/** APIs that are in no catalogue: an address, a key, and what can be called there. */
export function CustomApis() {
  const queries = useQueryClient()
  const listed = useCall('list-custom-apis', {}, { key: ['list-custom-apis'] })
  const [editing, setEditing] = useState<CustomApi | 'new' | null>(null)
  const [opened, setOpened] = useState<CustomApi | null>(null)
  const reload = () => queries.invalidateQueries({ queryKey: ['list-custom-apis'] })
  useEffect(() => {
    // Told by the window in which somebody signed in.
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = ({ data }: MessageEvent<Told>) => {
      if (data.app !== 'custom') return
      setOpened(null)
      if (data.ok) toast.success(`${data.account} is connected`)
      else toast.error('The API is not connected', data.message)
      void queries.invalidateQueries({ queryKey: ['list-custom-apis'] })
    }
    return () => channel.close()
  }, [queries])
  const apis = listed.data?.apis ?? []
  const connectButton = (
    <Button onClick={() => setEditing('new')}>
      <Plug />
      Add an API
    </Button>
  )

  return (
    <section className="mb-8" aria-labelledby="own-apis">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <p id="own-apis" className="text-14 font-semibold">
          Your own APIs
        </p>
        {apis.length ? connectButton : null}
      </div>
      <Asked query={listed} skeleton="h-24" failed="Your APIs could not be loaded" />
      {listed.data && !apis.length ? (
        <EmptyState compact title="An app that is not here?" action={connectButton}>
          Connect its API by its OpenAPI document or its address, or the tools of its MCP server. The assistant then reads from it, and
          calls it once you approve.
        </EmptyState>
      ) : null}
      {apis.length ? (
        <ul className="divide-y divide-line rounded-panel bg-panel hairline">
          {apis.map((api) => (
            <li key={api.connection_id} className="flex flex-wrap items-center justify-between gap-3 p-3 text-13">
              <div className="min-w-0">
                <p className="flex flex-wrap items-center gap-2 font-medium">
                  {api.name} <StatePill state={api.state} />
                </p>
                <p className="break-all text-12 text-faint">
                  {api.base} · {counted(api)}
                  {api.last_call_at ? ` · last call ${ago(api.last_call_at)}` : ''}
                </p>
              </div>
              <Button onClick={() => setOpened(api)} aria-label={`Manage ${api.name}`}>
                Manage
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      {opened ? (
        <CustomApiPanel
          api={opened}
          onClose={() => setOpened(null)}
          onEdit={() => {
            setEditing(opened)
            setOpened(null)
          }}
          onGone={() => {
            setOpened(null)
            void reload()
          }}
        />
      ) : null}
      {editing ? (
        <CustomApiDialog
          api={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
          onDone={(text) => {
            setEditing(null)
            toast.success('The API is added', text)
            void reload()
          }}
        />
      ) : null}
    </section>
  )
}

/** In a window of its own, opened within the press itself. */
async function signIn(connectionId: string) {
  const popup = window.open('about:blank', 'connect', 'width=560,height=720')
  const begun = await attempt('The sign-in did not begin', async () => {
    const { auth_url } = await call('begin-custom-sign-in', { connection_id: connectionId })
    if (popup) popup.location.replace(auth_url)
    else location.assign(auth_url)
    return true
  })
  if (!begun) popup?.close()
}

type PanelProps = { api: CustomApi; onClose: () => void; onEdit: () => void; onGone: () => void }
function CustomApiPanel({ api, onClose, onEdit, onGone }: PanelProps) {
  const [asked, setAsked] = useState(false)
  const disconnect = () =>
    attempt('The API is still connected', async () => {
      await call('disconnect-custom-api', { connection_id: api.connection_id }, { idempotencyKey: crypto.randomUUID() })
      toast.success(`${api.name} is disconnected`)
      onGone()
    })

  return (
    <Dialog open onClose={onClose} title={api.name} side="right">
      <div className="flex flex-col gap-6 text-13">
        <p className="break-all text-muted">{api.base}</p>
        {api.failure ? <Alert tone={api.state === 'broken' ? 'bad' : 'warn'}>{api.failure}</Alert> : null}
        <p className="flex flex-wrap gap-2">
          {api.auth === 'signin' ? (
            <Button variant={api.state === 'broken' ? 'primary' : 'secondary'} onClick={() => signIn(api.connection_id)}>
              Sign in there
            </Button>
          ) : null}
          <Button variant={api.state === 'broken' && api.auth !== 'signin' ? 'primary' : 'secondary'} onClick={onEdit}>
            {api.auth === 'signin' ? 'Change' : 'Connect again'}
          </Button>
          <Button variant="ghost" onClick={() => setAsked(true)}>
            Disconnect
          </Button>
        </p>
        {api.kind === 'mcp' ? <McpTools connectionId={api.connection_id} /> : <Operations connectionId={api.connection_id} />}
      </div>
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title={`Disconnect ${api.name}?`}
        action="Disconnect"
        danger
        onConfirm={disconnect}
      >
        Its key is deleted here. Everything that uses it stops working.
      </Confirm>
    </Dialog>
  )
}

function Operations({ connectionId }: { connectionId: string }) {
  const operations = useCall('list-custom-operations', { connection_id: connectionId })
  return (
    <section>
      <h3 className="mb-2 font-semibold">What can be called</h3>
      <Asked query={operations} skeleton="h-24" failed="The operations could not be loaded" />
      <ul className="divide-y divide-line rounded-panel hairline">
        {operations.data?.operations.map(({ name, title, method, path, effect }) => (
          <li key={name} className="flex items-baseline justify-between gap-3 px-3 py-2">
            <span className="min-w-0">
              <span className="block">{title}</span>
              <span className="block break-all text-12 text-faint">
                {method} {path}
              </span>
            </span>
            <span className="shrink-0 text-12 text-faint">{effect === 'reads' ? 'Reads' : 'Asks you first'}</span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-12 text-faint">Ask the assistant for it by the name of the API.</p>
    </section>
  )
}
