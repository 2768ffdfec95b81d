import type { CallReply } from '@operon/contracts/calls'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Checkbox, Options, PasswordField, SelectField, TextField } from '../../ui/Field.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { type CaldavCalendar, newKey } from './queries.ts'

type Account = { server: string; user: string; password: string }
type Found = CallReply<'find-caldav-calendars'>['calendars'][number]
const NONE = ''

/** Connects calendars at a server by its address, a user name and an app password. `again` has one that takes a new password. */
export function CaldavDialog({ again, onClose, onDone }: { again?: CaldavCalendar; onClose: () => void; onDone: () => void }) {
  const [account, setAccount] = useState<Account | null>(null)
  const [found, setFound] = useState<Found[]>([])

  async function look(typed: (field: string) => string) {
    const given = { server: typed('server'), user: typed('user'), password: typed('password') }
    const { calendars } = await call('find-caldav-calendars', given)
    if (again) {
      await call('connect-caldav-calendars', { ...given, calendars: [again.url] })
      await call('sync-calendars', {}, newKey())
      onDone()
      return false
    }
    setAccount(given)
    setFound(calendars)
    return false
  }

  async function connect(typed: (field: string) => string, data: FormData) {
    const busy = new Set(data.getAll('busy').map(String))
    const copies = typed('copies')
    const chosen = [...new Set([...busy, ...(copies ? [copies] : [])])]
    if (!chosen.length) throw new Error('Choose a calendar first.')
    const { calendars } = await call('connect-caldav-calendars', { ...account!, calendars: chosen })
    const synced = await call('sync-calendars', {}, newKey())
    for (const { connection_id, url } of calendars) {
      const row = synced.calendars.find((each) => each.connection_id === connection_id)
      if (row) await call('update-synced-calendar', { calendar_id: row.id, busy: busy.has(url), copies: url === copies }, newKey())
    }
    onDone()
    return false
  }

  const writable = found.filter((calendar) => calendar.writable)
  if (account)
    return (
      <FormDialog
        key="calendars"
        onClose={onClose}
        title="Choose calendars"
        description={`Calendars of ${account.user}`}
        submit="Connect"
        failed="The calendars were not connected"
        save={connect}
      >
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1.5 text-13 font-medium">Block times taken in</legend>
          {found.map(({ url, name, writable: own }, index) => (
            <Checkbox key={url} name="busy" value={url} defaultChecked={own} {...(index === 0 && { 'data-first': '' })}>
              <span className="break-words">{name}</span>
              {own ? null : <span className="text-faint"> (read only)</span>}
            </Checkbox>
          ))}
        </fieldset>
        <SelectField name="copies" label="Add appointments to" defaultValue={writable[0]?.url ?? NONE}>
          <Options of={[...writable.map(({ url, name }) => [url, name] as const), [NONE, 'No calendar']]} />
        </SelectField>
      </FormDialog>
    )
  return (
    <FormDialog
      key="account"
      onClose={onClose}
      title={again ? `Connect ${again.name} again` : 'Connect a CalDAV calendar'}
      description="For iCloud, Fastmail, Nextcloud and other CalDAV servers. The password is tried first, then kept encrypted. Nobody can read it here again."
      submit={again ? 'Connect' : 'Find calendars'}
      failed={again ? 'The calendar was not connected' : 'No calendars were found'}
      save={look}
    >
      <TextField
        name="server"
        label="Server address"
        hint="As https://caldav.icloud.com or https://caldav.fastmail.com"
        defaultValue={again ? new URL(again.url).origin : ''}
        autoComplete="off"
        inputMode="url"
        required
        maxLength={500}
        data-first=""
      />
      <TextField
        name="user"
        label="User name"
        hint="Often your email address"
        defaultValue={again?.user}
        autoComplete="off"
        required
        maxLength={200}
      />
      <PasswordField
        name="password"
        label="App password"
        hint="Make one in the settings of your account there. iCloud and Fastmail do not take your usual password"
        autoComplete="off"
        required
        maxLength={400}
      />
    </FormDialog>
  )
}
