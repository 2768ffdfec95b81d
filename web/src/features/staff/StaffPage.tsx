import { useSearchParams } from 'react-router-dom'
import { useSession } from '../../api/session.ts'
import { NotFoundView } from '../../shell/NotFoundView.tsx'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { PageLoading } from '../../shell/states.tsx'
import { PageHeader } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { AccountTab } from './AccountTab.tsx'
import { EventsTab } from './EventsTab.tsx'
import { isStaff } from './isStaff.ts'
import { LogTab } from './LogTab.tsx'

type Section = 'account' | 'events' | 'log'

/** For staff only; nobody else learns that it is here. */
export function StaffPage() {
  const { status, session } = useSession()
  const [search, setSearch] = useSearchParams()
  if (status === 'loading') return <PageLoading />
  if (!session || !isStaff(session.access_token)) return <NotFoundView />
  return (
    <PublicLayout footer={false}>
      <div className="mx-auto max-w-[84rem] px-5 py-8 text-14 md:px-8">
        <PageHeader title="Staff" description="Billing of one account at a time. Everything done here is kept with its reason." />
        <Tabs<Section>
          label="Staff"
          value={(search.get('section') ?? 'account') as Section}
          onChange={(next) => setSearch(next === 'account' ? {} : { section: next }, { replace: true })}
          tabs={[
            { id: 'account', label: 'Account', panel: <AccountTab /> },
            { id: 'events', label: 'Failed events', panel: <EventsTab /> },
            { id: 'log', label: 'Log', panel: <LogTab /> },
          ]}
        />
      </div>
    </PublicLayout>
  )
}
