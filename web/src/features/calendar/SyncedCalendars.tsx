import { Plus, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { Switch } from '../../ui/Field.tsx'
import { ago } from '../../ui/format.ts'
import { Asked, EmptyState } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { CaldavDialog } from './CaldavDialog.tsx'
import { type CaldavCalendar, newKey, type SyncedCalendar, useCaldavCalendars, useReload, useSyncedCalendars } from './queries.ts'

const apps = { 'google-calendar': 'Google Calendar', 'outlook-calendar': 'Outlook Calendar', caldav: 'CalDAV' }

/** Calendars at Google, Microsoft and CalDAV servers: what is taken there is not offered here, and what is booked here stands there. */
export function SyncedCalendars() {
  const listed = useSyncedCalendars()
  const reload = useReload()
  const [busy, setBusy] = useState(false)
  const [connecting, setConnecting] = useState<CaldavCalendar | 'new' | null>(null)
  async function sync() {
    setBusy(true)
    await attempt('The calendars were not read', async () => {
      await call('sync-calendars', {}, newKey())
      reload()
    })
    setBusy(false)
  }
  const again = (
    <Button busy={busy} onClick={sync}>
      <RefreshCw />
      Sync now
    </Button>
  )
  const calendars = listed.data?.calendars ?? []
  const atServers = useCaldavCalendars(calendars.some(({ app }) => app === 'caldav')).data?.calendars ?? []
  const byAddress = (
    <Button onClick={() => setConnecting('new')}>
      <Plus />
      Connect CalDAV
    </Button>
  )
  return (
    <div className="flex max-w-3xl flex-col gap-4 pt-5">
      <Asked query={listed} skeleton="h-40" failed="Your connected calendars could not be loaded" />
      {listed.data && calendars.length === 0 ? (
        <EmptyState
          title="No calendar connected"
          action={
            <span className="flex flex-wrap gap-2">
              <ButtonLink to={paths.apps} variant="primary">
                Open the App Library
              </ButtonLink>
              {byAddress}
              {again}
            </span>
          }
        >
          Connect Google Calendar or Outlook in the App Library, or iCloud, Fastmail, Nextcloud and others by CalDAV. Times that are taken
          there are not offered on your booking pages, and your appointments appear there.
        </EmptyState>
      ) : null}
      {calendars.length ? (
        <>
          <div className="flex flex-wrap gap-2">
            {again}
            {byAddress}
            <ButtonLink to={paths.apps} variant="ghost">
              Connect Google or Outlook
            </ButtonLink>
          </div>
          <ul className="divide-y divide-line rounded-panel bg-panel hairline" aria-label="Connected calendars">
            {calendars.map((calendar) => (
              <Row
                key={calendar.id}
                calendar={calendar}
                at={atServers.find(({ connection_id }) => connection_id === calendar.connection_id)}
                onChanged={reload}
                onAgain={setConnecting}
              />
            ))}
          </ul>
        </>
      ) : null}
      {connecting ? (
        <CaldavDialog
          {...(connecting !== 'new' && { again: connecting })}
          onClose={() => setConnecting(null)}
          onDone={() => {
            setConnecting(null)
            reload()
          }}
        />
      ) : null}
    </div>
  )
}

type RowProps = {
  calendar: SyncedCalendar
  /** Of a calendar at a CalDAV server: which one. */
  at: CaldavCalendar | undefined
  onChanged: () => void
  onAgain: (at: CaldavCalendar) => void
}
function Row({ calendar, at, onChanged, onAgain }: RowProps) {
  const { id, app, account, busy, copies, follows = true, synced_at, failure } = calendar
  const change = (to: { busy?: boolean; copies?: boolean; follows?: boolean }) =>
    attempt('The calendar was not changed', async () => {
      await call('update-synced-calendar', { calendar_id: id, busy, copies, ...to }, newKey())
      onChanged()
    })
  const [asked, setAsked] = useState(false)
  const disconnect = (connection: CaldavCalendar) =>
    attempt('The calendar is still connected', async () => {
      await call('disconnect-caldav-calendar', { connection_id: connection.connection_id }, newKey())
      await call('sync-calendars', {}, newKey())
      toast.success(`${account} is disconnected`)
      onChanged()
    })
  const when = synced_at ? (ago(synced_at) === 'now' ? 'Synced just now' : `Synced ${ago(synced_at)} ago`) : 'Reading for the first time'
  const choice = (label: string, checked: boolean, onChange: (checked: boolean) => void) => (
    <span className="flex items-center gap-3 text-13">
      <Switch label={`${label}: ${account}`} checked={checked} onChange={onChange} />
      {label}
    </span>
  )
  return (
    <li className="flex flex-wrap items-center gap-x-8 gap-y-3 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="text-14 font-semibold break-words">{account}</p>
        <p className="text-13 text-muted">
          {apps[app]} · {when}
        </p>
        {at ? <p className="text-13 break-all text-faint">{`${at.user}, ${at.server}`}</p> : null}
        {failure ? <p className="text-13 text-bad">{failure}</p> : null}
        {at ? (
          <p className="mt-1 flex flex-wrap gap-4">
            {at.state === 'broken' ? <Button onClick={() => onAgain(at)}>Connect again</Button> : null}
            <Button variant="ghost" className="-ml-3" onClick={() => setAsked(true)} aria-label={`Disconnect ${account}`}>
              Disconnect
            </Button>
          </p>
        ) : null}
      </div>
      <div className="flex flex-col gap-2">
        {choice('Block times taken there', busy, (to) => change({ busy: to }))}
        {choice('Add appointments there', copies, (to) => change({ copies: to }))}
        {choice('Follow what I move or delete there, and tell guests', follows, (to) => change({ follows: to }))}
      </div>
      {at ? (
        <Confirm
          open={asked}
          onClose={() => setAsked(false)}
          title={`Disconnect ${account}?`}
          action="Disconnect"
          danger
          onConfirm={() => disconnect(at)}
        >
          Its password is deleted here, and times taken there can be booked again. Appointments that were added there stay.
        </Confirm>
      ) : null}
    </li>
  )
}
