import { Plus } from 'lucide-react'
import { type KeyboardEvent, useCallback } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Options, SearchAsTyped, SelectField } from '../../ui/Field.tsx'
import { day, moment } from '../../ui/format.ts'
import { Asked, EmptyState, Panel, Pill, SamplePill } from '../../ui/Panel.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { useSampleData } from '../../ui/useSampleData.ts'
import { useSearch } from '../../ui/useSearch.ts'
import { CampaignMenu } from './CampaignMenu.tsx'
import { Cell } from './Cell.tsx'
import { type Listed, type Status, useCampaigns } from './queries.ts'
import { sampleCampaigns } from './samples.ts'
import { ConnectLine } from './sending/ConnectLine.tsx'
import { count, share, statusNames, statusTones } from './words.ts'

const statuses = Object.keys(statusNames) as Status[]

/** Newest first. A row opens the campaign: a draft to write on, the others to see how they do. */
export function Campaigns() {
  const { search, change } = useSearch()
  const query = search.get('q') ?? ''
  const status = statuses.find((each) => each === search.get('status'))
  const campaigns = useCampaigns({ query, status })
  const samples = useSampleData()
  const rows = campaigns.data?.pages.flatMap((page) => page.campaigns) ?? []
  const isFiltered = Boolean(query || status)
  const isNew = Boolean(campaigns.data) && rows.length === 0 && !isFiltered
  const onQuery = useCallback((q: string) => change({ q }, true), [change])
  return (
    <div className="flex flex-col gap-4 pt-4">
      <ConnectLine />
      {isNew ? (
        <>
          <EmptyState
            title="No campaigns yet"
            action={
              <Button onClick={() => change({ new: '1' })}>
                <Plus />
                New campaign
              </Button>
            }
          >
            Say what the email is about and the studio designs it. You read it, choose who gets it, and send it when you are ready.
          </EmptyState>
          {samples.shown ? (
            <Panel flush title="Campaigns" badge={<SamplePill />}>
              <List rows={sampleCampaigns} />
            </Panel>
          ) : null}
        </>
      ) : (
        <>
          <div className="grid grid-cols-2 items-end gap-3 md:grid-cols-[minmax(14rem,1fr)_10rem]">
            <SearchAsTyped query={query} onChange={onQuery} placeholder="Name of the campaign" maxLength={100} />
            <SelectField label="Status" value={status ?? ''} onChange={(event) => change({ status: event.target.value }, true)}>
              <option value="">All</option>
              <Options of={statuses.map((each) => [each, statusNames[each]])} />
            </SelectField>
          </div>
          <Panel flush>
            <Asked query={campaigns} skeleton="m-4 h-64" failed="Your campaigns could not be loaded" />
            {campaigns.data && rows.length === 0 ? (
              <EmptyState
                compact
                title="No matches"
                action={<Button onClick={() => change({ q: undefined, status: undefined }, true)}>Clear filters</Button>}
              >
                No campaign matches.
              </EmptyState>
            ) : null}
            {rows.length ? <List rows={rows} open={(id) => change({ campaign: id })} /> : null}
          </Panel>
          <ShowMore of={campaigns} className="self-center">
            Show older campaigns
          </ShowMore>
        </>
      )}
    </div>
  )
}

const columns =
  'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 px-4 md:grid-cols-[minmax(0,1fr)_6rem_6rem_7rem_7rem_9rem_2rem]'

function List({ rows, open }: { rows: Listed[]; open?: (id: string) => void }) {
  return (
    <>
      <div aria-hidden className={`${columns} border-b border-line py-2 text-12 font-medium text-faint max-md:hidden`}>
        <span>Campaign</span>
        <span>Status</span>
        <span className="text-right">Sent</span>
        <span className="text-right">Opened</span>
        <span className="text-right">Clicked</span>
        <span className="text-right">When</span>
        <span />
      </div>
      <ul aria-label="Campaigns" className="divide-y divide-line" onKeyDown={moveFocus}>
        {rows.map((row) => (
          <Row key={row.campaign_id} row={row} open={open} />
        ))}
      </ul>
    </>
  )
}

/** Arrows go from row to row. */
function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step || (event.target as HTMLElement).closest('[role=menu]')) return
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')]
  const at = buttons.indexOf((event.target as HTMLElement).closest('li')?.querySelector<HTMLElement>('[data-row]') as HTMLElement)
  if (at < 0) return
  event.preventDefault()
  buttons[Math.min(buttons.length - 1, Math.max(0, at + step))]?.focus()
}

function Row({ row, open }: { row: Listed; open: ((id: string) => void) | undefined }) {
  const { campaign_id, name, subject, status, sent_count, opened, clicked, recipients } = row
  const when = row.scheduled_at && status === 'scheduled' ? moment(row.scheduled_at) : day(row.created_at)
  const figure = (n: number) => (sent_count ? `${count(n)} · ${share(n, sent_count)}` : '–')
  return (
    <li className={`${columns} relative py-2.5 text-13 ${open ? 'hover:bg-raised' : ''}`}>
      <span className="min-w-0">
        {open ? (
          <button
            type="button"
            data-row
            onClick={() => open(campaign_id)}
            className="block w-full truncate text-left font-medium before:absolute before:inset-0"
          >
            {name}
          </button>
        ) : (
          <span className="block truncate font-medium">{name}</span>
        )}
        <span className="block truncate text-12 text-faint">{subject || 'No subject yet'}</span>
      </span>
      <span>
        <Pill tone={statusTones[status]}>{statusNames[status]}</Pill>
      </span>
      <Cell label="Sent">
        {status === 'sending' || status === 'paused' ? `${count(sent_count)} / ${count(recipients)}` : sent_count ? count(sent_count) : '–'}
      </Cell>
      <Cell label="Opened">{figure(opened)}</Cell>
      <Cell label="Clicked">{figure(clicked)}</Cell>
      <span className="text-right text-12 text-muted max-md:hidden">{when}</span>
      {open ? (
        <span className="relative justify-self-end max-md:hidden">
          <CampaignMenu of={row} onCopied={open} />
        </span>
      ) : (
        <span className="max-md:hidden" />
      )}
    </li>
  )
}
