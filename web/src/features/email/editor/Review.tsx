import { texts } from '@operon/contracts/messages'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import type { ApiError } from '../../../api/http.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { SelectField, TextField } from '../../../ui/Field.tsx'
import { fileSize, moment } from '../../../ui/format.ts'
import { Alert, Asked, Skeleton } from '../../../ui/Panel.tsx'
import { toast } from '../../../ui/toast.tsx'
import { type Campaign, type Checked, newKey, type Preview, useRefresh } from '../queries.ts'
import { ConnectButton } from '../sending/ConnectButton.tsx'
import { count, counted } from '../words.ts'
import { EmailFrame } from './Preview.tsx'

type When = 'now' | 'later'
const hourNames = Array.from({ length: 24 }, (_, hour) =>
  new Intl.DateTimeFormat('en-US', { hour: 'numeric', timeZone: 'UTC' }).format(hour * 3_600_000),
)

/** The last look: what would go wrong, who gets it, what it uses, what the first of them reads, and when. */
export function Review({ campaign, onClose, onFix }: { campaign: Campaign; onClose: () => void; onFix: (block: string) => void }) {
  const { campaign_id, name } = campaign
  const refresh = useRefresh()
  const preview = useQuery<Preview, ApiError>({
    queryKey: ['email', 'review', campaign_id, 'preview'],
    queryFn: ({ signal }) => call('preview-campaign', { campaign_id }, { signal }),
    gcTime: 0,
  })
  const checked = useQuery<Checked, ApiError>({
    queryKey: ['email', 'review', campaign_id, 'checks'],
    queryFn: ({ signal }) => call('check-email', { campaign_id }, { signal }),
    gcTime: 0,
    retry: false,
  })
  const [when, setWhen] = useState<When>('now')
  const [at, setAt] = useState(() => localValue(Date.now() + 24 * 3_600_000))
  const [hour, setHour] = useState<number | null>(campaign.reader_hour)
  const [busy, setBusy] = useState(false)
  const data = preview.data
  const needsProvider = data?.missing === texts.mailerSendFirst
  const stops = checked.data?.findings.some(({ level }) => level === 'stops')

  async function send() {
    setBusy(true)
    try {
      if (when === 'later') {
        const { scheduled_at } = await call(
          'schedule-campaign',
          { campaign_id, at: new Date(at).toISOString(), reader_hour: hour },
          newKey(),
        )
        toast.success(`${name} is scheduled`, `It goes out on ${moment(scheduled_at)}.`)
      } else {
        if (hour !== campaign.reader_hour) await call('update-campaign', { campaign_id, reader_hour: hour }, newKey())
        const { recipients } = await call('send-campaign', { campaign_id }, newKey())
        toast.success(`${name} is being sent`, `To ${counted(recipients, 'recipient')}.`)
      }
      onClose()
      await refresh()
    } catch (error) {
      const { code, message } = error as ApiError
      if (code === 'mailersend_first') toast.error(texts.mailerSendFirst)
      else toast.error(when === 'later' ? 'The campaign was not scheduled' : 'The campaign was not sent', message)
      setBusy(false)
      void preview.refetch()
    }
  }
  return (
    <Dialog
      open
      side="right"
      onClose={onClose}
      title="Review and send"
      className="w-[min(44rem,100vw)]!"
      footer={
        <>
          <Button onClick={onClose}>Back to the draft</Button>
          <Button
            variant="primary"
            busy={busy}
            disabled={!data || Boolean(data.missing) || stops || (when === 'later' && !at)}
            onClick={send}
          >
            {when === 'later' ? 'Schedule' : data ? `Send to ${counted(data.recipients, 'recipient')}` : 'Send'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-6">
        <Asked query={preview} failed="The recipients could not be counted" />
        {data?.missing ? (
          <Alert tone="warn" title={data.missing}>
            {needsProvider ? (
              <div className="mt-2">
                <ConnectButton main onDone={() => void preview.refetch()} />
              </div>
            ) : null}
          </Alert>
        ) : null}
        <section aria-label="Recipients">
          <h3 className="mb-2 text-14 font-semibold">Who gets it</h3>
          {data ? <Facts of={data} /> : preview.isPending ? <Skeleton className="h-24" /> : null}
        </section>
        <section aria-label="Checks">
          <h3 className="mb-2 text-14 font-semibold">Checks</h3>
          <Asked query={checked} skeleton="h-24" failed="The email could not be checked" />
          {checked.data ? <Checks of={checked.data} onFix={onFix} /> : null}
        </section>
        <section aria-label="When" className="flex flex-col gap-3">
          <h3 className="text-14 font-semibold">When</h3>
          <div className="grid gap-3 sm:grid-cols-2">
            <SelectField label="Sent" value={when} onChange={(event) => setWhen(event.target.value as When)}>
              <option value="now">Now</option>
              <option value="later">At a later time</option>
            </SelectField>
            {when === 'later' ? (
              <TextField
                label="Date and time"
                type="datetime-local"
                value={at}
                min={localValue(Date.now() + 6 * 60_000)}
                onChange={(event) => setAt(event.target.value)}
              />
            ) : null}
            <SelectField
              label="At the reader's hour"
              value={hour ?? ''}
              hint="In the time zone they booked in, or in yours."
              onChange={(event) => setHour(event.target.value === '' ? null : Number(event.target.value))}
            >
              <option value="">All at once</option>
              {hourNames.map((label, value) => (
                <option key={label} value={value}>
                  {label}
                </option>
              ))}
            </SelectField>
          </div>
        </section>
        {data?.first ? (
          <section aria-label="The first email">
            <h3 className="mb-2 text-14 font-semibold">The first email</h3>
            <div className="overflow-hidden rounded-panel hairline">
              <p className="border-b border-line px-4 py-2.5 text-13">
                <span className="block truncate text-12 text-faint">To {data.first.to}</span>
                <span className="block truncate font-semibold">{data.first.subject}</span>
              </p>
              <EmailFrame html={data.first.html} title="The first email" />
            </div>
          </section>
        ) : null}
      </div>
    </Dialog>
  )
}

const leftOut = (unreachable: number, left: number) =>
  [
    ...(unreachable ? [`${count(unreachable)} without an address or consent, unsubscribed or bounced`] : []),
    ...(left ? [`${count(left)} who left the topic`] : []),
  ].join(', ') || 'Nobody'

function Facts({ of: { recipients, left_out, left_topic = 0, emails_left, from } }: { of: Preview }) {
  const rows: [string, string][] = [
    ['Recipients', count(recipients)],
    ['Left out', leftOut(left_out - left_topic, left_topic)],
    ['Uses', `${counted(recipients, 'email')} of your plan${emails_left === null ? '' : ` (${count(emails_left)} left)`}`],
    ['From', from ?? 'No sender yet'],
  ]
  return (
    <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-13">
      {rows.map(([label, value]) => (
        <div key={label} className="contents">
          <dt className="text-muted">{label}</dt>
          <dd className="break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Checks({ of: { findings, links, bytes }, onFix }: { of: Checked; onFix: (block: string) => void }) {
  const good = links.filter(({ state }) => state === 'ok').length
  return (
    <ul className="divide-y divide-line rounded-panel text-13 hairline">
      {findings.map(({ code, level, text, block_id }) => (
        <li key={`${code} ${text}`} className="flex items-start gap-2.5 px-3 py-2">
          {level === 'stops' ? (
            <CircleX className="mt-0.5 size-4 shrink-0 text-bad" />
          ) : (
            <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" />
          )}
          <span className="min-w-0 flex-1 break-words">
            <span className="sr-only">{level === 'stops' ? 'Has to be fixed: ' : 'Warning: '}</span>
            {text}
          </span>
          {block_id ? (
            <button
              type="button"
              className="shrink-0 underline decoration-control underline-offset-4 max-md:min-h-8"
              onClick={() => onFix(block_id)}
            >
              Fix
            </button>
          ) : null}
        </li>
      ))}
      <li className="flex items-start gap-2.5 px-3 py-2 text-muted">
        <CircleCheck className="mt-0.5 size-4 shrink-0 text-good" />
        <span>
          Unsubscribe links are in every email. {fileSize(bytes)} of the 102 kB that Gmail shows.
          {links.length ? ` ${good} of ${counted(links.length, 'link')} ${links.length === 1 ? 'opens' : 'open'}.` : ''}
        </span>
      </li>
    </ul>
  )
}

/** As a field of date and time takes it: local, without seconds. */
function localValue(at: number): string {
  const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return date.toISOString().slice(0, 16)
}
