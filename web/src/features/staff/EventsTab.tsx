import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { moment } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { type FailedEvent, type FailedEvents, replay } from './queries.ts'
import { ReasonForm } from './ReasonForm.tsx'
import { ReasonPanel } from './ReasonPanel.tsx'
import { StaffTable } from './StaffTable.tsx'
import type { LookUp } from './useLookUp.ts'

export function EventsTab({ lookUp }: { lookUp: LookUp<string, FailedEvents> }) {
  const { busy, asked, found, error, ask } = lookUp
  const events = found?.events
  const [reason, setReason] = useState(asked ?? '')
  const [chosen, setChosen] = useState<FailedEvent>()

  const list = () => ask(reason.trim())
  async function run(event: FailedEvent, why: string) {
    const { status } = await replay(event.id, why)
    toast.success(status === 'done' ? 'The event was replayed' : 'The event had been handled already', event.type)
    await list()
  }

  return (
    <div className="flex flex-col gap-5 pt-5">
      <ReasonForm reason={reason} onChange={setReason} onAsk={list} ask="List failed events" busy={busy} />
      <Panel title="Failed events of the payment provider" flush>
        {error ? <ErrorState title="The events could not be listed" error={error} retry={list} /> : null}
        {events?.length ? (
          <StaffTable label="Failed events" first={['When']} head={['Event', 'Tries']} wide={['Error']} actions>
            {events.map((event) => (
              <tr key={event.id}>
                <td className="whitespace-nowrap max-md:hidden">{moment(event.created_at)}</td>
                <td>
                  {event.type}
                  <span className="block font-mono text-12 break-all text-faint">{event.id}</span>
                </td>
                <td className="font-mono text-12 tabular">{event.attempts}</td>
                <td className="max-w-80 truncate text-muted max-md:hidden">{event.error}</td>
                <td className="text-right">
                  <Button onClick={() => setChosen(event)}>
                    Replay<span className="sr-only"> {event.id}</span>
                  </Button>
                </td>
              </tr>
            ))}
          </StaffTable>
        ) : error ? null : (
          <EmptyState compact title={events ? 'No event has failed' : 'Not listed yet'}>
            An event that could not be handled waits here. The sweep tries it again by itself, up to 20 times.
          </EmptyState>
        )}
        {found?.more ? <p className="px-4 py-3 text-12 text-faint">These are the newest {found.events.length}.</p> : null}
      </Panel>
      {chosen ? (
        <ReasonPanel
          title={`Replay ${chosen.type}`}
          action="Replay"
          says="Handles the event again: the provider is asked how things stand now, and that is kept. An event that was handled meanwhile changes nothing."
          onClose={() => setChosen(undefined)}
          run={(why) => run(chosen, why)}
        >
          <dl className="flex flex-col gap-2 text-13">
            <dt className="text-muted">Event</dt>
            <dd className="font-mono text-12 break-all">{chosen.id}</dd>
            <dt className="text-muted">Error of try {chosen.attempts}</dt>
            <dd className="font-mono text-12 break-words">{chosen.error ?? 'none was kept'}</dd>
          </dl>
        </ReasonPanel>
      ) : null}
    </div>
  )
}
