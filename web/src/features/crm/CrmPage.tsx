import { Plus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { readJson } from '../../api/http.ts'
import { loadBackend } from '../../api/session.ts'
import { sampleContacts } from '../../content/sampleContacts.ts'
import { Button } from '../../ui/Button.tsx'
import { saveFile } from '../../ui/download.ts'
import { useFields } from '../../ui/ownFields.ts'
import { Asked, EmptyState, PageHeader, Panel, SamplePill } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { attempt } from '../../ui/toast.tsx'
import { useSampleData } from '../../ui/useSampleData.ts'
import { type Address, useAddress } from './address.ts'
import { BulkBar } from './BulkBar.tsx'
import { ContactForm } from './ContactForm.tsx'
import { ContactList } from './ContactList.tsx'
import { ContactPanel } from './ContactPanel.tsx'
import { Companies } from './companies/Companies.tsx'
import { CompanyPanel } from './companies/CompanyPanel.tsx'
import { Deals } from './deals/Deals.tsx'
import { Filters } from './Filters.tsx'
import { columnsOf } from './fields/columns.ts'
import { Forms } from './forms/Forms.tsx'
import { ImportDialog } from './ImportDialog.tsx'
import { useContacts, useRefresh } from './queries.ts'
import { Tasks } from './Tasks.tsx'
import { Views } from './Views.tsx'

/** The main action of each tab; the contacts have more than one. */
const added = { companies: 'New company', deals: 'New deal', forms: 'New form' }

export function CrmPage() {
  const address = useAddress()
  const { change } = address
  const refresh = useRefresh()
  const open = useCallback((id: string) => change({ contact: id }), [change])
  return (
    <>
      <PageHeader
        title="CRM"
        description="Everyone you do business with, and what happened with each."
        actions={
          address.tab in added ? (
            <Button variant="primary" onClick={() => change({ new: '1' })}>
              <Plus />
              {added[address.tab as keyof typeof added]}
            </Button>
          ) : (
            <>
              <Button onClick={() => change({ import: '1' })}>Import</Button>
              <ExportButton />
              <Button variant="primary" onClick={() => change({ new: '1' })}>
                <Plus />
                New contact
              </Button>
            </>
          )
        }
      />
      <Tabs
        label="CRM"
        value={address.tab}
        onChange={(tab) => change({ tab: tab === 'contacts' ? undefined : tab })}
        tabs={[
          { id: 'contacts', label: 'Contacts', panel: <Contacts address={address} open={open} /> },
          { id: 'companies', label: 'Companies', panel: <Companies address={address} /> },
          {
            id: 'deals',
            label: 'Deals',
            panel: (
              <Deals dealId={address.deal} isAdding={address.isAdding} openContact={(id) => change({ contact: id, deal: undefined })} />
            ),
          },
          {
            id: 'tasks',
            label: 'Tasks',
            panel: (
              <div className="pt-4">
                <Tasks open={open} />
              </div>
            ),
          },
          {
            id: 'forms',
            label: 'Forms',
            panel: (
              <Forms
                isAdding={address.isAdding}
                add={() => change({ new: '1' })}
                added={() => change({ new: undefined }, true)}
                openContact={open}
              />
            ),
          },
        ]}
      />
      {address.company ? <CompanyPanel key={address.company} id={address.company} address={address} /> : null}
      {address.contact ? (
        <ContactPanel
          key={address.contact}
          id={address.contact}
          onClose={() => change({ contact: undefined })}
          openCompany={(company) => change({ contact: undefined, company })}
        />
      ) : null}
      {address.isImporting ? <ImportDialog onClose={() => change({ import: undefined }, true)} /> : null}
      <ContactForm open={address.isAdding && !(address.tab in added)} onClose={() => change({ new: undefined }, true)} onDone={refresh} />
    </>
  )
}

function ExportButton() {
  const [busy, setBusy] = useState(false)
  async function save() {
    setBusy(true)
    await attempt('The contacts were not exported', async () => {
      const { authed } = await loadBackend()
      const response = await authed('/functions/v1/export-contacts', { method: 'POST', body: '{}' })
      if (!response.ok) await readJson(response)
      saveFile('contacts.csv', await response.blob())
    })
    setBusy(false)
  }
  return (
    <Button busy={busy} onClick={save}>
      Export
    </Button>
  )
}

function Contacts({ address, open }: { address: Address; open: (id: string) => void }) {
  const contacts = useContacts(address)
  const columns = columnsOf(address.columns, useFields())
  const samples = useSampleData()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const rows = contacts.data?.pages.flatMap((page) => page.contacts) ?? []
  const isFiltered = Boolean(address.query || address.temperature || address.status || address.tag || address.companyId || address.field)
  const isNew = Boolean(contacts.data) && rows.length === 0 && !isFiltered
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = contacts
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage])
  const clear = () =>
    address.change(
      { q: undefined, temperature: undefined, status: undefined, tag: undefined, in: undefined, field: undefined, value: undefined },
      true,
    )
  function choose(id: string, toHere: boolean) {
    const ids = rows.map((row) => row.id)
    const last = ids.indexOf([...chosen].at(-1) ?? '')
    const next = new Set(chosen)
    if (toHere && last >= 0)
      for (const each of ids.slice(Math.min(last, ids.indexOf(id)), Math.max(last, ids.indexOf(id)) + 1)) next.add(each)
    else if (!next.delete(id)) next.add(id)
    setChosen(new Set([...next].slice(0, 500)))
  }
  if (isNew)
    return (
      <div className="flex flex-col gap-4 pt-4">
        <EmptyState
          title="No contacts yet"
          action={
            <Button variant="primary" onClick={() => address.change({ new: '1' })}>
              <Plus />
              New contact
            </Button>
          }
        >
          Add the people you do business with, or import a spreadsheet. Buyers of your products join by themselves.
        </EmptyState>
        {samples.shown ? (
          <Panel flush title="Contacts" badge={<SamplePill />}>
            <ContactList rows={sampleContacts} />
          </Panel>
        ) : null}
      </div>
    )
  return (
    <div className="flex flex-col gap-4 pt-4">
      <Filters address={address} />
      <Views address={address} />
      <Panel flush>
        {chosen.size ? <BulkBar ids={[...chosen]} clear={() => setChosen(new Set())} /> : null}
        <Asked query={contacts} skeleton="m-4 h-80" failed="Your contacts could not be loaded" />
        {contacts.data && rows.length === 0 ? (
          <EmptyState compact title="No matches" action={<Button onClick={clear}>Clear filters</Button>}>
            No contacts match.
          </EmptyState>
        ) : null}
        {rows.length ? (
          <ContactList
            rows={rows}
            columns={columns}
            chosen={chosen}
            choose={choose}
            open={open}
            more={hasNextPage && !isFetchingNextPage ? more : undefined}
          />
        ) : null}
      </Panel>
    </div>
  )
}
