import type { CallReply } from '@operon/contracts/calls'
import type { App } from '@operon/contracts/integrations/apps'
import { texts } from '@operon/contracts/messages'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm, Dialog } from '../../ui/Dialog.tsx'
import { ago, moment } from '../../ui/format.ts'
import { Alert, Asked, Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { TimelineMail } from './TimelineMail.tsx'
import { Watches } from './Watches.tsx'

type Connection = CallReply<'list-connections'>['connections'][number]

/** One app: its accounts with how they are, and the actions that it brings. */
export function AppPanel({ app, onClose, onConnect, busy }: { app: App; onClose: () => void; onConnect: () => void; busy: boolean }) {
  const key = ['list-connections', app.id]
  const listed = useCall('list-connections', { app: app.id }, { key })
  const actions = useCall('list-app-actions', { app: app.id })
  const own = listed.data?.connections ?? []
  return (
    <Dialog open onClose={onClose} title={app.name} side="right">
      <div className="flex flex-col gap-6 text-13">
        <p className="text-muted">{app.description}</p>
        <section>
          <h3 className="mb-2 font-semibold">Accounts</h3>
          <Asked query={listed} skeleton="h-16" failed="The accounts could not be loaded" />
          {listed.data && !own.length ? <p className="text-muted">No account is connected yet.</p> : null}
          <ul className="flex flex-col gap-3">
            {own.map((connection) => (
              <Account
                key={connection.id}
                app={app}
                connection={connection}
                connectAgain={
                  <Button variant="primary" onClick={onConnect}>
                    Connect again
                  </Button>
                }
              />
            ))}
          </ul>
          <Button
            className="mt-3"
            variant={own.length ? 'secondary' : 'primary'}
            onClick={onConnect}
            busy={busy ? 'Waiting for you' : false}
          >
            {own.length ? 'Connect another account' : 'Connect'}
          </Button>
        </section>
        <section>
          <h3 className="mb-2 font-semibold">What you can do with it</h3>
          <Asked query={actions} skeleton="h-16" failed="The actions could not be loaded" />
          <ul className="divide-y divide-line rounded-panel hairline">
            {actions.data?.actions.map(({ name, title, effect }) => (
              <li key={name} className="flex items-baseline justify-between gap-3 px-3 py-2">
                <span>{title}</span>
                <span className="text-12 text-faint">{effect === 'reads' ? 'Reads' : 'Asks you first'}</span>
              </li>
            ))}
          </ul>
          <p className="mt-2 text-12 text-faint">Ask the assistant, as in “{askFor(app)}”.</p>
        </section>
        <Watches app={app} accounts={own} />
      </div>
    </Dialog>
  )
}

const askFor = ({ name, benefits }: App) => `${benefits[0].charAt(0).toLowerCase()}${benefits[0].slice(1)} in ${name}`

type AccountProps = { app: App; connection: Connection; connectAgain: ReactNode }
export function Account({ app, connection, connectAgain }: AccountProps) {
  const queries = useQueryClient()
  const [asked, setAsked] = useState(false)
  const [testing, setTesting] = useState(false)
  const [calls, setCalls] = useState<CallReply<'show-connection'>['calls'] | null>(null)
  const { id, account, state, failure, last_call_at, checked_at, calls_per_minute } = connection
  const reload = () =>
    Promise.all(['list-connections', 'list-apps', 'list-app-triggers'].map((name) => queries.invalidateQueries({ queryKey: [name] })))

  async function testIt() {
    setTesting(true)
    await attempt('The connection was not tested', async () => {
      const tested = (await call('test-connection', { connection_id: id })).connection
      await reload()
      if (tested.state === 'connected') toast.success(`${account} works`)
      else toast.error(`${account} does not work`, tested.failure ?? undefined)
    })
    setTesting(false)
  }
  async function disconnect() {
    try {
      await call('disconnect-app', { connection_id: id }, { idempotencyKey: crypto.randomUUID() })
      toast.success(`${app.name} is disconnected`)
    } catch (error) {
      toast.error('Error', `${texts.failedToDisconnect}. ${(error as Error).message}`)
    }
    await reload()
  }
  const showCalls = () =>
    attempt('The calls could not be loaded', async () => setCalls((await call('show-connection', { connection_id: id })).calls))

  return (
    <li className="rounded-panel p-3 hairline">
      <p className="flex flex-wrap items-center gap-2 font-medium">
        <span className="min-w-0 break-words">{account}</span>
        <StatePill state={state} />
      </p>
      {failure ? (
        <Alert className="my-2" tone={state === 'broken' ? 'bad' : 'warn'}>
          {failure} {state === 'broken' ? 'Everything that uses this account is paused until you connect it again.' : ''}
        </Alert>
      ) : null}
      <p className="mt-1 text-12 text-faint">
        {last_call_at ? `Last call ${ago(last_call_at)}` : 'No calls yet'}
        {checked_at ? ` · worked ${ago(checked_at)}` : ''} · up to {calls_per_minute} calls a minute
      </p>
      <p className="mt-2 flex flex-wrap gap-1">
        {state === 'broken' ? (
          connectAgain
        ) : (
          <Button variant="ghost" onClick={testIt} busy={testing ? 'Testing' : false}>
            Test
          </Button>
        )}
        <Button variant="ghost" onClick={showCalls}>
          Last calls
        </Button>
        <Button variant="ghost" onClick={() => setAsked(true)} aria-label={`Disconnect ${account}`}>
          Disconnect
        </Button>
      </p>
      {state === 'broken' ? null : <TimelineMail connection={connection} connectAgain={connectAgain} />}
      {calls ? (
        <ul className="mt-2 divide-y divide-line border-t border-line">
          {calls.length ? null : <li className="py-2 text-12 text-muted">No calls in the last seven days.</li>}
          {calls.map((each) => (
            <li key={each.at + each.action} className="flex flex-wrap items-baseline justify-between gap-x-3 py-1.5 text-12">
              <span>{each.action.replaceAll('-', ' ')}</span>
              <span className="text-muted">{each.outcome === 'ok' ? 'Worked' : each.outcome.replaceAll('_', ' ')}</span>
              <span className="text-faint tabular">
                {moment(each.at)} · {each.duration_ms} ms
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title={`Disconnect ${account}?`}
        action="Disconnect"
        danger
        onConfirm={disconnect}
      >
        What we hold is deleted, and our access is revoked at {app.name}{' '}
        {app.vendor === 'google' || app.vendor === 'meta' ? 'once no other app of the same company uses this account' : 'at once'}. What
        uses this account stops working.
      </Confirm>
    </li>
  )
}

export function StatePill({ state }: { state: Connection['state'] | null }) {
  if (state === 'connected') return <Pill tone="good">Connected</Pill>
  if (state === 'degraded') return <Pill tone="warn">Last call failed</Pill>
  if (state === 'broken') return <Pill tone="bad">Connect again</Pill>
  return null
}
