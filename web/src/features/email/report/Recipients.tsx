import { useState } from 'react'
import { Link } from 'react-router-dom'
import { paths } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { cx } from '../../../ui/cx.ts'
import { moment } from '../../../ui/format.ts'
import { Asked, EmptyState, Panel, Pill } from '../../../ui/Panel.tsx'
import { ShowMore } from '../../../ui/ShowMore.tsx'
import { type Campaign, type Counts, type Recipient, type RecipientFilter, useRecipients } from '../queries.ts'
import { count } from '../words.ts'

const filters: [RecipientFilter | undefined, string][] = [
  [undefined, 'All'],
  ['opened', 'Opened'],
  ['clicked', 'Clicked'],
  ['bounced', 'Bounced'],
  ['unsubscribed', 'Unsubscribed'],
  ['unknown', 'Unknown'],
  ['failed', 'Failed'],
  ['skipped', 'Left out'],
]
const states: Record<Recipient['state'], string> = {
  waiting: 'Waiting',
  sending: 'Sending',
  sent: 'Sent',
  unknown: 'Unknown',
  failed: 'Failed',
  skipped: 'Left out',
}
const tones = { waiting: 'neutral', sending: 'neutral', sent: 'good', unknown: 'warn', failed: 'bad', skipped: 'neutral' } as const

/** Each of them, with what became of their email. */
export function Recipients({ campaign: { campaign_id }, counts }: { campaign: Campaign; counts: Counts }) {
  const [filter, setFilter] = useState<RecipientFilter | undefined>()
  const listed = useRecipients(campaign_id, filter)
  const rows = listed.data?.pages.flatMap(({ recipients }) => recipients) ?? []
  const number = { unknown: counts.unknown, failed: counts.failed, skipped: counts.skipped } as Partial<Record<RecipientFilter, number>>
  return (
    <Panel flush title="Recipients">
      <fieldset className="flex min-w-0 gap-1 overflow-x-auto border-b border-line px-3 py-2" aria-label="Show">
        {filters.map(([value, label]) => (
          <Button
            key={label}
            variant="ghost"
            aria-pressed={filter === value}
            className={cx('max-md:px-3', filter === value && 'bg-raised !text-text')}
            onClick={() => setFilter(value)}
          >
            {label}
            {value && number[value] ? <span className="text-12 text-faint tabular">{count(number[value])}</span> : null}
          </Button>
        ))}
      </fieldset>
      <Asked query={listed} skeleton="m-4 h-40" failed="The recipients could not be loaded" />
      {listed.data && rows.length === 0 ? (
        <EmptyState compact title="No recipients">
          No recipient of this campaign matches.
        </EmptyState>
      ) : null}
      <ul aria-label="Recipients" className="divide-y divide-line">
        {rows.map((row) => (
          <li
            key={row.recipient_id}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 px-4 py-2 text-13 md:grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)_6rem]"
          >
            <span className="min-w-0">
              {row.contact_id ? (
                <Link to={`${paths.crm}?contact=${row.contact_id}`} className="block truncate font-medium hover:underline">
                  {row.name || row.email}
                </Link>
              ) : (
                <span className="block truncate font-medium">{row.name || row.email}</span>
              )}
              <span className="block truncate text-12 text-faint">{row.email}</span>
            </span>
            <span className="min-w-0 truncate text-12 text-muted max-md:col-span-2 max-md:row-start-2">{happened(row)}</span>
            <span className="justify-self-end">
              <Pill tone={tones[row.state]}>{states[row.state]}</Pill>
            </span>
          </li>
        ))}
      </ul>
      <ShowMore of={listed} className="m-3" />
    </Panel>
  )
}

function happened({ sent_at, opened_at, clicked_at, bounced_at, unsubscribed_at, reason }: Recipient): string {
  if (unsubscribed_at) return `Unsubscribed ${moment(unsubscribed_at)}`
  if (bounced_at) return `Bounced ${moment(bounced_at)}`
  if (reason) return reason
  if (clicked_at) return `Clicked ${moment(clicked_at)}`
  if (opened_at) return `Opened ${moment(opened_at)}`
  return sent_at ? `Sent ${moment(sent_at)}` : ''
}
