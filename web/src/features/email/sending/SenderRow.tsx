import type { CallReply } from '@operon/contracts/calls'
import { EllipsisVertical, Pencil, Star, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { CopyField } from '../../../ui/Data.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { ago } from '../../../ui/format.ts'
import { Menu, MenuItem } from '../../../ui/Menu.tsx'
import { Alert, Pill } from '../../../ui/Panel.tsx'
import { attempt } from '../../../ui/toast.tsx'
import { newKey, type Sender, useRefresh } from '../queries.ts'
import { providerNames } from './SenderDialog.tsx'

type DnsRecord = CallReply<'check-sender'>['records'][number]
const recordNames = { spf: 'SPF', dkim: 'DKIM', dmarc: 'DMARC' } as const
const stateNames = { ok: 'Found', missing: 'Missing', wrong: 'Different', unchecked: 'Not checked' } as const
const tones = { ok: 'good', missing: 'bad', wrong: 'warn', unchecked: 'neutral' } as const

/** A sender, and the records of its domain with what was found there. */
export function SenderRow({ sender, onEdit }: { sender: Sender; onEdit: () => void }) {
  const { sender_id, name, email, provider, domain, checks, checked_at, is_default, webhook_url, webhook_set } = sender
  const refresh = useRefresh()
  const [records, setRecords] = useState<DnsRecord[] | null>(null)
  const [busy, setBusy] = useState(false)
  const [asked, setAsked] = useState(false)
  async function check() {
    setBusy(true)
    await attempt(`The records of ${domain} were not checked`, async () => {
      setRecords((await call('check-sender', { sender_id })).records)
      await refresh()
    })
    setBusy(false)
  }
  const makeDefault = () =>
    attempt('The default was not changed', async () => {
      await call('save-sender', { sender_id, provider, name, email, make_default: true }, newKey())
      await refresh()
    })
  const remove = () =>
    attempt(`${email} was not deleted`, async () => {
      await call('delete-sender', { sender_id })
      await refresh()
    })
  return (
    <li className="px-4 py-3 text-13">
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            <span className="min-w-0 truncate">{name}</span>
            {is_default ? <Pill>Default</Pill> : null}
          </p>
          <p className="truncate text-muted">
            {email} · {providerNames[provider]}
          </p>
          {provider === 'sandbox' ? null : (
            <p className="mt-1.5 flex flex-wrap items-center gap-1.5">
              {(['spf', 'dkim', 'dmarc'] as const).map((each) => (
                <Pill key={each} tone={tones[checks[each] as 'ok'] ?? 'neutral'}>
                  {recordNames[each]}: {(stateNames[checks[each] as 'ok'] ?? 'Not checked').toLowerCase()}
                </Pill>
              ))}
              <span className="text-12 text-faint">{checked_at ? `Checked ${ago(checked_at)} ago` : ''}</span>
            </p>
          )}
        </div>
        {provider === 'sandbox' ? null : (
          <Button busy={busy ? 'Checking' : false} onClick={check}>
            {records ? 'Check again' : 'Check records'}
          </Button>
        )}
        <Menu
          trigger={(props) => (
            <IconButton label={`More for ${email}`} {...props}>
              <EllipsisVertical />
            </IconButton>
          )}
        >
          <MenuItem icon={<Pencil />} onSelect={onEdit}>
            Change
          </MenuItem>
          {is_default ? null : (
            <MenuItem icon={<Star />} onSelect={makeDefault}>
              Make it the default
            </MenuItem>
          )}
          <MenuItem icon={<Trash2 />} danger onSelect={() => setAsked(true)}>
            Delete
          </MenuItem>
        </Menu>
      </div>
      {records ? <Records of={records} domain={domain} /> : null}
      {webhook_url && !webhook_set ? (
        <Alert tone="info" className="mt-3" title="Get bounces and complaints">
          <p className="mb-2">Add this address as a webhook at MailerSend, then enter its signing secret under Change.</p>
          <CopyField label="Webhook address" value={webhook_url} />
        </Alert>
      ) : null}
      <Confirm open={asked} onClose={() => setAsked(false)} title={`Delete ${email}?`} action="Delete" danger onConfirm={remove}>
        Its password and keys are deleted with it. Drafts that used it go back to the default sender.
      </Confirm>
    </li>
  )
}

function Records({ of, domain }: { of: DnsRecord[]; domain: string }) {
  return (
    <ul aria-label={`Records of ${domain}`} className="mt-3 flex flex-col gap-3">
      {of.map(({ purpose, type, name, value, state, found }) => (
        <li key={purpose} className="rounded-panel p-3 hairline">
          <p className="mb-2 flex items-center gap-2 font-medium">
            {recordNames[purpose]}
            <Pill tone={tones[state]}>{stateNames[state]}</Pill>
          </p>
          {value ? (
            <div className="grid gap-2 sm:grid-cols-[4rem_minmax(0,1fr)_minmax(0,2fr)]">
              <span className="self-center font-mono text-12 text-muted">{type}</span>
              <CopyField label={`${recordNames[purpose]} name`} value={name} />
              <CopyField label={`${recordNames[purpose]} value`} value={value} />
            </div>
          ) : null}
          {found.length && state !== 'ok' ? (
            <p className="mt-2 break-all font-mono text-12 text-muted">Found: {found.join(' · ')}</p>
          ) : null}
        </li>
      ))}
    </ul>
  )
}
