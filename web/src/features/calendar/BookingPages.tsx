import { Copy, ExternalLink, Plus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { useCopied } from '../../ui/copy.ts'
import { Confirm } from '../../ui/Dialog.tsx'
import { money } from '../../ui/format.ts'
import { Asked, EmptyState, Pill } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'
import { EventTypeDialog } from './EventTypeDialog.tsx'
import { type EventType, newKey, useEventTypes, useReload } from './queries.ts'

/** The pages that visitors book themselves on. */
export function BookingPages() {
  const listed = useEventTypes()
  const reload = useReload()
  const [edited, setEdited] = useState<EventType | 'new' | null>(null)
  const [deleted, setDeleted] = useState<EventType | null>(null)
  const add = (
    <Button variant="primary" onClick={() => setEdited('new')}>
      <Plus />
      New booking page
    </Button>
  )
  return (
    <div className="flex flex-col gap-4 pt-5">
      <Asked query={listed} skeleton="h-60" failed="Your booking pages could not be loaded" />
      {listed.data?.event_types.length === 0 ? (
        <EmptyState title="Let people book you" action={add}>
          A booking page shows your free times. Visitors choose one in their own time zone, without an account, and both of you get an email
          with a calendar file.
        </EmptyState>
      ) : null}
      {listed.data?.event_types.length ? (
        <>
          <div>{add}</div>
          <ul className="divide-y divide-line rounded-panel bg-panel hairline">
            {listed.data.event_types.map((type) => (
              <Row key={type.id} type={type} onEdit={() => setEdited(type)} onDelete={() => setDeleted(type)} />
            ))}
          </ul>
        </>
      ) : null}
      {edited ? (
        <EventTypeDialog of={edited === 'new' ? null : edited} texts={listed.data?.texts} onClose={() => setEdited(null)} onDone={reload} />
      ) : null}
      <Confirm
        open={deleted !== null}
        onClose={() => setDeleted(null)}
        title={`Delete “${deleted?.title}”?`}
        action="Delete page"
        keep="Keep it"
        danger
        onConfirm={() =>
          attempt('The page was not deleted', async () => {
            await call('delete-event-type', { event_type_id: deleted!.id }, newKey())
            reload()
          })
        }
      >
        Its link stops working. Existing bookings stay.
      </Confirm>
    </div>
  )
}

function Row({ type, onEdit, onDelete }: { type: EventType; onEdit: () => void; onDelete: () => void }) {
  const { copied, copy } = useCopied()
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-2 text-14 font-semibold">
          {type.title}
          {type.active ? null : <Pill>Off</Pill>}
          {type.needs_approval ? <Pill tone="warn">You approve each</Pill> : null}
        </p>
        <p className="text-13 break-all text-muted">
          {type.minutes} minutes · {type.price_cents ? `${money(type.price_cents)} · ` : ''} {type.upcoming} upcoming ·{' '}
          {type.url.replace(/^https?:\/\//, '')}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => copy(type.url)}>
          <Copy />
          {copied ? 'Copied' : 'Copy link'}
        </Button>
        {type.active ? (
          <a
            href={new URL(type.url).pathname}
            target="_blank"
            rel="noreferrer"
            className="inline-flex h-8 items-center gap-2 rounded-control px-3 text-13 font-medium text-muted hover:bg-raised hover:text-text max-md:min-h-11"
          >
            <ExternalLink className="size-4" />
            Open
          </a>
        ) : null}
        <Button variant="ghost" onClick={onEdit}>
          Edit
        </Button>
        <Button variant="ghost" onClick={onDelete}>
          Delete
        </Button>
      </div>
    </li>
  )
}
