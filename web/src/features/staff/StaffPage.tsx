import { useSearchParams } from 'react-router-dom'
import { useSession } from '../../api/session.ts'
import type { Otherwise } from '../../lazyPage.tsx'
import { paths } from '../../paths.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { PageLoading } from '../../shell/states.tsx'
import { ButtonLink } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { AccountView } from './AccountView.tsx'
import { AppsTab } from './AppsTab.tsx'
import { BooksTab } from './BooksTab.tsx'
import { CouponsTab } from './CouponsTab.tsx'
import { DisputesTab } from './DisputesTab.tsx'
import { EventsTab } from './EventsTab.tsx'
import { FiguresTab } from './FiguresTab.tsx'
import { LogTab } from './LogTab.tsx'
import { LookUpTab } from './LookUpTab.tsx'
import { MattersTab } from './MattersTab.tsx'
import { MessageLimits } from './MessageLimits.tsx'
import { ModerationTab } from './ModerationTab.tsx'
import { MonthsTab } from './MonthsTab.tsx'
import {
  listAppRequests,
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
  readMonth,
} from './queries.ts'
import { RunsTab } from './RunsTab.tsx'
import { SellerView } from './SellerView.tsx'
import { standingOf } from './standing.ts'
import { useLookUp } from './useLookUp.ts'

type Section =
  | 'account'
  | 'matters'
  | 'sellers'
  | 'payouts'
  | 'disputes'
  | 'months'
  | 'reports'
  | 'books'
  | 'figures'
  | 'coupons'
  | 'apps'
  | 'events'
  | 'log'

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
  const account = useLookUp(lookUp)
  const sellers = useLookUp(lookUpSeller)
  const matters = useLookUp(listMatters)
  const runs = useLookUp(listRuns)
  const months = useLookUp(readMonth)
  const figures = useLookUp(readFigures)
  const coupons = useLookUp(listCoupons)
  const apps = useLookUp(listAppRequests)
  const disputes = useLookUp(listDisputes)
  const books = useLookUp(({ reason, again }: { reason: string; again: boolean }) => readBooks(reason, again))
  const reports = useLookUp(listReports)
  const events = useLookUp(listFailedEvents)
  return (
    <PublicLayout footer={false}>
      <div className="rail w-full flex-1 px-5 py-8 text-14 md:px-8">
        <PageHeader title="Staff" description="Accounts, sellers and the books. Everything done here is kept with its reason." />
        <MessageLimits />
        <Tabs<Section>
          label="Staff"
          value={(search.get('section') ?? 'account') as Section}
          onChange={(next) => setSearch(next === 'account' ? {} : { section: next }, { replace: true, flushSync: true })}
          tabs={[
            {
              id: 'account',
              label: 'Account',
              panel: (
                <LookUpTab
                  lookUp={account}
                  label="Account"
                  placeholder="Email, user id or customer id"
                  hint="Check the address or the id."
                  about="Look it up by its exact email, its user id or the payment provider’s customer id. Its plan, payments and what staff did are shown then."
                  view={(found, again) => <AccountView found={found} onChanged={again} />}
                />
              ),
            },
            { id: 'matters', label: 'Waiting', panel: <MattersTab lookUp={matters} /> },
            {
              id: 'sellers',
              label: 'Sellers',
              panel: (
                <LookUpTab
                  lookUp={sellers}
                  label="Seller"
                  placeholder="Email, user id or payout account"
                  hint="Only accounts that have begun to set up payouts are sellers."
                  about="Their balance, payouts and sales are shown, with why the next payout is what it is. Payouts can be held, sales refunded and disputes answered."
                  view={(found, again) => <SellerView found={found} onChanged={again} />}
                />
              ),
            },
            { id: 'payouts', label: 'Payouts', panel: <RunsTab lookUp={runs} /> },
            { id: 'disputes', label: 'Disputes', panel: <DisputesTab lookUp={disputes} /> },
            { id: 'reports', label: 'Reports', panel: <ModerationTab lookUp={reports} /> },
            { id: 'books', label: 'Books', panel: <BooksTab lookUp={books} /> },
            { id: 'months', label: 'Months', panel: <MonthsTab lookUp={months} /> },
            { id: 'figures', label: 'Figures', panel: <FiguresTab lookUp={figures} /> },
            { id: 'coupons', label: 'Codes', panel: <CouponsTab lookUp={coupons} /> },
            { id: 'apps', label: 'Apps', panel: <AppsTab lookUp={apps} /> },
            { id: 'events', label: 'Failed events', panel: <EventsTab lookUp={events} /> },
            { id: 'log', label: 'Log', panel: <LogTab /> },
          ]}
        />
      </div>
    </PublicLayout>
  )
}
