import { HALF_LIFE_DAYS } from '@operon/contracts/crm/heat'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { day } from '../../ui/format.ts'
import { shownValue, useFields } from '../../ui/ownFields.ts'
import { Asked, Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { AddToSequence } from './AddToSequence.tsx'
import { ContactFiles } from './ContactFiles.tsx'
import { ContactForm } from './ContactForm.tsx'
import { Duplicates } from './Duplicates.tsx'
import { ContactDeals } from './deals/ContactDeals.tsx'
import { EditDelete } from './EditDelete.tsx'
import { FactLink, Facts } from './Facts.tsx'
import { NewNote } from './NewNote.tsx'
import { type ContactDetail, newKey, useContact, useRefresh, useRefreshWithout } from './queries.ts'
import { NewTask, TaskRow } from './Tasks.tsx'
import { Timeline } from './Timeline.tsx'
import { capital, countOf, longAgo, temperatureNames, temperatureTone } from './words.ts'

/** One contact beside the list: what is known, why it is hot, what is to be done and what happened. */
type Props = { id: string; onClose: () => void; openCompany: (id: string) => void }
export function ContactPanel({ id, onClose, openCompany }: Props) {
  const detail = useContact(id)
  return (
    <Dialog open side="right" onClose={onClose} title={detail.data?.contact.name ?? 'Contact'}>
      <Asked query={detail} skeleton="h-64" failed="This contact could not be loaded" />
      {detail.data ? <Loaded detail={detail.data} onClose={onClose} openCompany={openCompany} /> : null}
    </Dialog>
  )
}

function Loaded({ detail, onClose, openCompany }: Omit<Props, 'id'> & { detail: ContactDetail }) {
  const { contact } = detail
  const refresh = useRefresh()
  const refreshOthers = useRefreshWithout(contact.id)
  const [editing, setEditing] = useState(false)
  const remove = () =>
    attempt(`${contact.name} was not deleted`, async () => {
      const { deletion_id } = await call('delete-contact', { contact_id: contact.id }, { idempotencyKey: newKey() })
      onClose()
      await refreshOthers()
      toast.undo(`${contact.name} deleted`, () =>
        attempt(`${contact.name} was not restored`, async () => {
          await call('restore-contact', { deletion_id }, { idempotencyKey: newKey() })
          await refresh()
        }),
      )
    })
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center gap-2">
        <Pill tone={temperatureTone[contact.temperature]}>{temperatureNames[contact.temperature]}</Pill>
        <Pill>{capital(contact.status)}</Pill>
        {contact.tags.map((tag) => (
          <Pill key={tag}>{tag}</Pill>
        ))}
        <EditDelete className="ml-auto" onEdit={() => setEditing(true)} onDelete={remove} />
      </div>
      <ContactFacts detail={detail} openCompany={openCompany} />
      <Heat detail={detail} />
      <ContactDeals contact={contact} />
      <Duplicates contact={contact} />
      <section className="flex flex-col gap-2" aria-label="Tasks">
        <h3 className="text-13 font-medium">Tasks</h3>
        {detail.tasks.map((task) => (
          <TaskRow key={task.id} task={task} />
        ))}
        <NewTask contactId={contact.id} />
      </section>
      {contact.email ? (
        <div>
          <AddToSequence ids={[contact.id]} />
        </div>
      ) : null}
      <ContactFiles contactId={contact.id} />
      <section className="flex flex-col gap-3" aria-label="Timeline">
        <h3 className="text-13 font-medium">Timeline</h3>
        <NewNote contactId={contact.id} onAdded={refresh} />
        <Timeline detail={detail} onChanged={refresh} />
      </section>
      <ContactForm key={contact.version} open={editing} onClose={() => setEditing(false)} onDone={refresh} contact={contact} />
    </div>
  )
}

function ContactFacts({
  detail: { contact, emails, email_consent },
  openCompany,
}: {
  detail: ContactDetail
  openCompany: (id: string) => void
}) {
  const own = useFields()
  const company = contact.company_id ? (
    <FactLink onClick={() => openCompany(contact.company_id!)}>{contact.company}</FactLink>
  ) : (
    contact.company
  )
  const rows: [string, ReactNode][] = [
    ['Email', emails.join(', ') || contact.email],
    ['Phone', contact.phone],
    ['Company', company],
    ['Job title', contact.job_title],
    ['Source', capital(contact.source)],
    ['Added', day(contact.created_at)],
    ['Email consent', email_consent ? `${capital(email_consent.state)}: ${email_consent.evidence}` : null],
    ...own.map((field): [string, string] => [field.name, shownValue(field, contact.fields[field.id])]),
  ]
  return <Facts facts={rows} />
}

function Heat({ detail: { contact, points, reasons } }: { detail: ContactDetail }) {
  return (
    <section className="rounded-panel bg-raised px-4 py-3" aria-label="Why this temperature">
      <h3 className="text-13 font-medium">
        {temperatureNames[contact.temperature]} at {points} {points === 1 ? 'point' : 'points'}
      </h3>
      {reasons.length ? (
        <ul className="mt-1.5 flex flex-col gap-1 text-13">
          {reasons.map((reason) => (
            <li key={reason.kind} className="flex justify-between gap-4">
              <span>
                {countOf(reason.kind, reason.count)}, last {longAgo(reason.last_at)}
              </span>
              <span className="text-muted tabular">+{reason.points}</span>
            </li>
          ))}
        </ul>
      ) : (
        <p className="mt-1 text-13 text-muted">Nothing lately. Purchases, bookings, replies and calls warm a contact.</p>
      )}
      <p className="mt-2 text-12 text-faint">Points halve every {HALF_LIFE_DAYS} days. Hot from 30, warm from 8.</p>
    </section>
  )
}
