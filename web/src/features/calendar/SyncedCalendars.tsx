import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Switch } from '../../ui/Field.tsx'
import { ago } from '../../ui/format.ts'
import { Asked, EmptyState } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'
import { newKey, type SyncedCalendar, useReload, useSyncedCalendars } from './queries.ts'

const apps = { 'google-calendar': 'Google Calendar', 'outlook-calendar': 'Outlook Calendar' }

/** Calendars at Google and Microsoft: what is taken there is not offered here, and what is booked here stands there. */
export function SyncedCalendars() {
  const listed = useSyncedCalendars()
  const reload = useReload()
  const [busy, setBusy] = useState(false)
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
              {again}
            </span>
          }
        >
          Connect Google Calendar or Outlook in the App Library. Times that are taken there are not offered on your booking pages, and your
          appointments appear there.
        </EmptyState>
      ) : null}
      {calendars.length ? (
        <>
          <div className="flex flex-wrap gap-2">
            {again}
            <ButtonLink to={paths.apps} variant="ghost">
              Connect another
            </ButtonLink>
          </div>
          <ul className="divide-y divide-line rounded-panel bg-panel hairline" aria-label="Connected calendars">
            {calendars.map((calendar) => (
              <Row key={calendar.id} calendar={calendar} onChanged={reload} />
            ))}
          </ul>
        </>
      ) : null}
    </div>
  )
}

function Row({ calendar, onChanged }: { calendar: SyncedCalendar; onChanged: () => void }) {
  const { id, app, account, busy, copies, follows = true, synced_at, failure } = calendar
  const change = (to: { busy?: boolean; copies?: boolean; follows?: boolean }) =>
    attempt('The calendar was not changed', async () => {
      await call('update-synced-calendar', { calendar_id: id, busy, copies, ...to }, newKey())
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
        {failure ? <p className="text-13 text-bad">{failure}</p> : null}
      </div>
      <div className="flex flex-col gap-2">
        {choice('Block times taken there', busy, (to) => change({ busy: to }))}
        {choice('Add appointments there', copies, (to) => change({ copies: to }))}
        {choice('Follow what I move or delete there, and tell guests', follows, (to) => change({ follows: to }))}
      </div>
    </li>
  )
}
