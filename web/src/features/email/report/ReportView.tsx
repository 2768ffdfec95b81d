import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button } from '../../../ui/Button.tsx'
import { Stat, StatRow, Table } from '../../../ui/Data.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { moment } from '../../../ui/format.ts'
import { Alert, EmptyState, ErrorState, Panel, Pill, Skeleton } from '../../../ui/Panel.tsx'
import { attempt } from '../../../ui/toast.tsx'
import { type Campaign, type Counts, newKey, type Report, useRefresh, useReport } from '../queries.ts'
import { count, counted, share } from '../words.ts'
import { Hours } from './Hours.tsx'
import { Recipients } from './Recipients.tsx'

type Props = { campaign: Campaign; counts: Counts; ofSequence?: boolean }
/** How far it is, then what became of it. Both change as it happens. An email of a sequence is never at its end. */
export function ReportView({ campaign, counts, ofSequence }: Props) {
  const report = useReport(campaign.campaign_id)
  return (
    <div className="flex flex-col gap-6">
      {ofSequence ? null : campaign.status === 'sending' || campaign.status === 'paused' ? (
        <Progress campaign={campaign} counts={counts} />
      ) : (
        <Ended campaign={campaign} counts={counts} />
      )}
      {report.isPending ? <Skeleton className="h-28" /> : null}
      {report.isError && !report.data ? (
        <ErrorState title="The report could not be loaded" error={report.error} retry={() => report.refetch()} />
      ) : null}
      {report.data ? <Figures of={report.data} /> : null}
      {report.data ? (
        <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-2">
          <Panel title="Opens and clicks by the hour">
            <Hours of={report.data.by_hour} />
          </Panel>
          <Links of={report.data} />
        </div>
      ) : null}
      {report.data?.variants.length ? <Variants of={report.data} /> : null}
      <Recipients campaign={campaign} counts={counts} />
    </div>
  )
}

function Progress({ campaign: { campaign_id, name, status, reason, ab }, counts }: { campaign: Campaign; counts: Counts }) {
  const refresh = useRefresh()
  const [busy, setBusy] = useState(false)
  const [asked, setAsked] = useState(false)
  const done = counts.recipients - counts.waiting
  async function move(to: 'pause-campaign' | 'resume-campaign') {
    setBusy(true)
    await attempt(to === 'pause-campaign' ? `${name} was not paused` : `${name} was not resumed`, async () => {
      await call(to, { campaign_id }, newKey())
      await refresh()
    })
    setBusy(false)
  }
  const cancel = () =>
    attempt(`${name} was not cancelled`, async () => {
      await call('cancel-campaign', { campaign_id }, newKey())
      await refresh()
    })
  return (
    <Panel>
      {status === 'paused' ? (
        <Alert tone="warn" title="Paused" className="mb-4">
          {reason}
        </Alert>
      ) : null}
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <div className="min-w-48 flex-1">
          <p className="mb-1.5 text-13" role="status">
            {count(done)} of {counted(counts.recipients, 'email')} processed
          </p>
          <progress
            aria-label="Emails processed"
            value={done}
            max={Math.max(1, counts.recipients)}
            className="block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-raised [&::-moz-progress-bar]:bg-signal-text [&::-webkit-progress-bar]:bg-raised [&::-webkit-progress-value]:bg-signal-text"
          />
          {ab && counts.waiting ? <p className="mt-1.5 text-12 text-faint">The rest will get the better subject.</p> : null}
        </div>
        <div className="flex gap-2">
          {status === 'sending' ? (
            <Button busy={busy} onClick={() => move('pause-campaign')}>
              Pause
            </Button>
          ) : (
            <Button variant="primary" busy={busy} onClick={() => move('resume-campaign')}>
              Resume
            </Button>
          )}
          <Button variant="danger" onClick={() => setAsked(true)}>
            Cancel
          </Button>
        </div>
      </div>
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title={`Cancel ${name}?`}
        action="Cancel the campaign"
        keep="Keep sending"
        danger
        onConfirm={cancel}
      >
        {counts.waiting ? `${counted(counts.waiting, 'person has', 'people have')} not been emailed and will not be.` : ''} Emails that went
        out cannot be recalled.
      </Confirm>
    </Panel>
  )
}

function Ended({ campaign: { status, finished_at }, counts }: { campaign: Campaign; counts: Counts }) {
  const { sent, unknown, failed, skipped } = counts
  return (
    <div className="flex flex-col gap-3">
      <p className="text-13 text-muted">
        {status === 'cancelled' ? 'Cancelled' : 'Finished'} {finished_at ? moment(finished_at) : ''}: {counted(sent, 'email')} went out
        {failed ? `, ${count(failed)} failed` : ''}
        {skipped ? `, ${count(skipped)} left out` : ''}.
      </p>
      {unknown ? (
        <Alert tone="warn" title={`${counted(unknown, 'email')} may not have arrived`}>
          The provider gave no answer, and looking them up found nothing. They are not sent again, so nobody gets two. You find them below
          under Unknown.
        </Alert>
      ) : null}
    </div>
  )
}

function Figures({ of }: { of: Report }) {
  const { counts, delivered, opened, machine_opened, clicked, bounced, complained, unsubscribed } = of
  const { sent } = counts
  return (
    <StatRow>
      <Stat
        label="Sent"
        value={count(sent)}
        note={delivered ? `${count(delivered)} confirmed as delivered` : `of ${counted(counts.recipients, 'recipient')}`}
      />
      <Stat
        label="Opened by people"
        value={`${count(opened)} · ${share(opened, sent)}`}
        note={machine_opened ? `${count(machine_opened)} by machines, not counted here` : 'Mail scanners are not counted'}
      />
      <Stat label="Clicked" value={`${count(clicked)} · ${share(clicked, sent)}`} note="Each person counts once" />
      <Stat label="Unsubscribed" value={count(unsubscribed)} note={`${count(bounced)} bounced, ${count(complained)} complained`} />
    </StatRow>
  )
}

function Links({ of: { links, counts } }: { of: Report }) {
  return (
    <Panel flush title="Links">
      {links.length ? (
        <Table label="Links" head={['Address', 'People', 'Of those sent']} figures>
          {links.map(({ url, people }) => (
            <tr key={url}>
              <td className="max-w-64 truncate">{url}</td>
              <td className="tabular">{count(people)}</td>
              <td className="tabular">{share(people, counts.sent)}</td>
            </tr>
          ))}
        </Table>
      ) : (
        <EmptyState compact title="No clicks yet">
          Each link is listed here with how many people followed it.
        </EmptyState>
      )}
    </Panel>
  )
}

function Variants({ of: { variants } }: { of: Report }) {
  return (
    <Panel flush title="The two subjects">
      <Table label="The two subjects" head={['Subject', 'Sent', 'Opened', 'Clicked']} figures>
        {variants.map(({ subject, sent, opened, clicked, winner }) => (
          <tr key={subject}>
            <td>
              {subject} {winner ? <Pill tone="good">Better</Pill> : null}
            </td>
            <td className="tabular">{count(sent)}</td>
            <td className="tabular">
              {count(opened)} · {share(opened, sent)}
            </td>
            <td className="tabular">
              {count(clicked)} · {share(clicked, sent)}
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  )
}
