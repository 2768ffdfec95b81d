import { day } from '@operon/contracts/words'
import { useState } from 'react'
import { EmptyState, ErrorState, Panel } from '../../ui/Panel.tsx'
import type { AppRequests } from './queries.ts'
import { ReasonForm } from './ReasonForm.tsx'
import { StaffTable } from './StaffTable.tsx'
import type { LookUp } from './useLookUp.ts'

/** The apps that people miss in the library. */
export function AppsTab({ lookUp }: { lookUp: LookUp<string, AppRequests> }) {
  const { busy, asked, found, error, ask } = lookUp
  const [reason, setReason] = useState(asked ?? '')
  const list = () => ask(reason.trim())
  return (
    <div className="flex flex-col gap-5 pt-5">
      <ReasonForm reason={reason} onChange={setReason} onAsk={list} ask="List requested apps" busy={busy} />
      <Panel title="Apps that people ask for" flush>
        {error ? <ErrorState title="The requests could not be listed" error={error} retry={list} /> : null}
        {found?.apps.length ? (
          <StaffTable label="Requested apps" head={['App', 'People', 'Last asked for']} wide={['What they would do with it']}>
            {found.apps.map(({ name, people, last_at, wanted }) => (
              <tr key={name} className="tabular">
                <td className="break-words">{name}</td>
                <td>{people.toLocaleString('en-US')}</td>
                <td className="whitespace-nowrap">{day(last_at)}</td>
                <td className="max-md:hidden">{wanted.join(' · ')}</td>
              </tr>
            ))}
          </StaffTable>
        ) : error ? null : (
          <EmptyState compact title={found ? 'Nobody has asked for an app yet' : 'Not listed yet'}>
            People ask for an app in the App Library, each once for an app.
          </EmptyState>
        )}
      </Panel>
    </div>
  )
}
