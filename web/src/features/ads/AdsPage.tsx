import { useSearchParams } from 'react-router-dom'
import { EmptyState, PageHeader, Panel, Pill } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { AdGenerator } from './AdGenerator.tsx'

type Tab = 'account' | 'generator'

/** Campaigns, ad sets, ads and analytics live in the ads account; until one can be connected the generator stands alone. */
export function AdsPage() {
  const [search, setSearch] = useSearchParams()
  const tab = (search.get('tab') ?? 'generator') as Tab
  return (
    <>
      <PageHeader
        title="Meta Ads Manager"
        badge={<Pill>Not connected</Pill>}
        description="Write ads within the platform's limits. Your ads account is not connected."
      />
      <Tabs<Tab>
        label="Meta Ads Manager"
        value={tab}
        onChange={(next) => setSearch(next === 'generator' ? {} : { tab: next }, { replace: true })}
        tabs={[
          { id: 'generator', label: 'AI Generator', panel: <AdGenerator /> },
          { id: 'account', label: 'Ads account', panel: <Account /> },
        ]}
      />
    </>
  )
}

function Account() {
  return (
    <div className="pt-6">
      <Panel title="Ads account" flush>
        <EmptyState title="Connecting a Meta ads account is not available yet">
          Campaigns, ad sets, ads and their analytics will appear here once an account can be connected. Until then nothing is published and
          nothing is read from Meta: copy a variation from the AI Generator into your ads account by hand.
        </EmptyState>
      </Panel>
    </div>
  )
}
