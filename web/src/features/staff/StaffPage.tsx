import { useSearchParams } from 'react-router-dom'
import { useSession } from '../../api/session.ts'
import type { Otherwise } from '../../lazyPage.tsx'
import { paths } from '../../paths.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { PageLoading } from '../../shell/states.tsx'
import { ButtonLink } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { AccountTab } from './AccountTab.tsx'
import { BooksTab } from './BooksTab.tsx'
import { CouponsTab } from './CouponsTab.tsx'
import { DisputesTab } from './DisputesTab.tsx'
import { EventsTab } from './EventsTab.tsx'
import { FiguresTab } from './FiguresTab.tsx'
import { LogTab } from './LogTab.tsx'
import { MattersTab } from './MattersTab.tsx'
import { MessageLimits } from './MessageLimits.tsx'
import { ModerationTab } from './ModerationTab.tsx'
import {
  listCoupons,
  listDisputes,
  listFailedEvents,
  listMatters,
  listReports,
  listRuns,
  lookUp,
  lookUpSeller,
  readBooks,
  readFigures,
} from './queries.ts'
import { RunsTab } from './RunsTab.tsx'
import { SellersTab } from './SellersTab.tsx'
import { standingOf } from './standing.ts'
import { useLookUp } from './useLookUp.ts'

type Section = 'account' | 'matters' | 'sellers' | 'payouts' | 'disputes' | 'reports' | 'books' | 'figures' | 'coupons' | 'events' | 'log'

/** For staff only; nobody else learns that it is here. */
export function StaffPage({ otherwise }: Otherwise) {
  const { status, session } = useSession()
  if (status === 'loading') return <PageLoading />
  const standing = session ? standingOf(session.access_token) : 'nobody'
  if (standing === 'nobody') return otherwise
  return standing === 'staff' ? <Staff /> : <SecondFactorNeeded />
}

function SecondFactorNeeded() {
  return (
    <PublicLayout footer={false}>
      <div className="rail w-full flex-1 px-5 py-8 text-14 md:px-8">
        <PageHeader title="Staff" description="Your address is named as staff here, and staff sign in with a second factor." />
        <ButtonLink variant="primary" to={`${paths.settings}?section=security`}>
          Add a second factor
        </ButtonLink>
      </div>
    </PublicLayout>
  )
}

function Staff() {
  const [search, setSearch] = useSearchParams()
  const account = useLookUp(({ query, reason }: { query: string; reason: string }) => lookUp(query, reason))
  const sellers = useLookUp(({ query, reason }: { query: string; reason: string }) => lookUpSeller(query, reason))
  const matters = useLookUp(listMatters)
  const runs = useLookUp(listRuns)
  const figures = useLookUp(readFigures)
  const coupons = useLookUp(listCoupons)
  const disputes = useLookUp(listDisputes)
  const books = useLookUp(({ reason, again }: { reason: string; again: boolean }) => readBooks(reason, again))
  const reports = useLookUp(listReports)
  const events = useLookUp(listFailedEvents)
  return (
    <PublicLayout footer={false}>
      <div className="rail w-full flex-1 px-5 py-8 text-14 md:px-8">
        <PageHeader title="Staff" description="Billing of one account at a time. Everything done here is kept with its reason." />
        <MessageLimits />
        <Tabs<Section>
          label="Staff"
          value={(search.get('section') ?? 'account') as Section}
          onChange={(next) => setSearch(next === 'account' ? {} : { section: next }, { replace: true })}
          tabs={[
            { id: 'account', label: 'Account', panel: <AccountTab lookUp={account} /> },
            { id: 'matters', label: 'Waiting', panel: <MattersTab lookUp={matters} /> },
            { id: 'sellers', label: 'Sellers', panel: <SellersTab lookUp={sellers} /> },
            { id: 'payouts', label: 'Payouts', panel: <RunsTab lookUp={runs} /> },
            { id: 'disputes', label: 'Disputes', panel: <DisputesTab lookUp={disputes} /> },
            { id: 'reports', label: 'Reports', panel: <ModerationTab lookUp={reports} /> },
            { id: 'books', label: 'Books', panel: <BooksTab lookUp={books} /> },
            { id: 'figures', label: 'Figures', panel: <FiguresTab lookUp={figures} /> },
            { id: 'coupons', label: 'Codes', panel: <CouponsTab lookUp={coupons} /> },
            { id: 'events', label: 'Failed events', panel: <EventsTab lookUp={events} /> },
            { id: 'log', label: 'Log', panel: <LogTab /> },
          ]}
        />
      </div>
    </PublicLayout>
  )
}
