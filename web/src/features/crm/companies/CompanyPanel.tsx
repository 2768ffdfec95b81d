import type { CallReply } from '@operon/contracts/calls'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { day } from '../../../ui/format.ts'
import { Asked, Pill } from '../../../ui/Panel.tsx'
import { attempt, toast } from '../../../ui/toast.tsx'
import type { Address } from '../address.ts'
import { EditDelete } from '../EditDelete.tsx'
import { Facts } from '../Facts.tsx'
import { MentionedIn } from '../Mentions.tsx'
import { type Company, newKey, useCompany, useContacts, useRefresh, useRefreshWithout } from '../queries.ts'
import { temperatureNames, temperatureTone } from '../words.ts'
import { CompanyForm } from './CompanyForm.tsx'

const SHOWN = 20
type Notes = CallReply<'show-company'>['mentions']
type Props = { id: string; address: Address }

/** One company beside the list, with who works there. */
export function CompanyPanel({ id, address }: Props) {
  const company = useCompany(id)
  const close = () => address.change({ company: undefined })
  return (
    <Dialog open side="right" onClose={close} title={company.data?.name ?? 'Company'}>
      <Asked query={company} skeleton="h-64" failed="This company could not be loaded" />
      {company.data ? <Loaded company={company.data} mentions={company.data.mentions} address={address} close={close} /> : null}
    </Dialog>
  )
}

function Loaded({ company, mentions, address, close }: { company: Company; mentions: Notes; address: Address; close: () => void }) {
  const refresh = useRefresh()
  const refreshOthers = useRefreshWithout(company.id)
  const [editing, setEditing] = useState(false)
  const { id, name, domain, phone, notes, created_at } = company
  const remove = () =>
    attempt(`${name} was not deleted`, async () => {
      await call('delete-company', { company_id: id }, { idempotencyKey: newKey() })
      close()
      await refreshOthers()
      toast.undo(`${name} deleted. Its contacts stay`, () =>
        attempt(`${name} was not restored`, async () => {
          await call('restore-company', { company_id: id }, { idempotencyKey: newKey() })
          await refresh()
        }),
      )
    })
  const facts: [string, string | null][] = [
    ['Domain', domain],
    ['Phone', phone],
    ['Added', day(created_at)],
  ]
  return (
    <div className="flex flex-col gap-6">
      <EditDelete className="justify-end" onEdit={() => setEditing(true)} onDelete={remove} />
      <Facts facts={facts} />
      {notes ? <p className="text-13 break-words whitespace-pre-wrap">{notes}</p> : null}
      <People company={company} address={address} />
      <MentionedIn notes={mentions} />
      {editing ? <CompanyForm company={company} onClose={() => setEditing(false)} onDone={refresh} /> : null}
    </div>
  )
}

function People({ company, address: { change } }: { company: Company; address: Address }) {
  const contacts = useContacts(
    { companyId: company.id, query: '', temperature: undefined, status: undefined, tag: undefined, sort: 'newest' },
    SHOWN,
  )
  const rows = contacts.data?.pages[0]?.contacts ?? []
  return (
    <section className="flex flex-col gap-2" aria-label="Contacts">
      <h3 className="text-13 font-medium">Contacts</h3>
      <Asked query={contacts} skeleton="h-24" failed="Its contacts could not be loaded" />
      {contacts.data && rows.length === 0 ? <p className="text-13 text-muted">No contacts yet. Set this company on a contact.</p> : null}
      <ul>
        {rows.map(({ id, name, email, job_title, temperature }) => (
          <li key={id} className="relative flex items-center gap-3 border-t border-line py-2 text-13 first:border-t-0 hover:bg-raised">
            <span className="min-w-0 flex-1">
              <button
                type="button"
                onClick={() => change({ company: undefined, contact: id })}
                className="block w-full truncate text-left font-medium before:absolute before:inset-0"
              >
                {name}
              </button>
              <span className="block truncate text-12 text-faint">{[job_title, email].filter(Boolean).join(' · ')}</span>
            </span>
            <Pill tone={temperatureTone[temperature]}>{temperatureNames[temperature]}</Pill>
          </li>
        ))}
      </ul>
      {contacts.hasNextPage ? (
        <div>
          <Button onClick={() => change({ company: undefined, tab: undefined, in: company.id })}>Show all in the list</Button>
        </div>
      ) : null}
    </section>
  )
}
