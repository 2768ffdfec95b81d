import { appOf } from '@operon/contracts/integrations/apps'
import { texts } from '@operon/contracts/messages'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Alert, EmptyState, ErrorState, PageHeader, Panel, Pill, Skeleton } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { toast } from '../../ui/toast.tsx'
import { useSearch } from '../../ui/useSearch.ts'
import { AdAnalytics } from './AdAnalytics.tsx'
import { AdGenerator } from './AdGenerator.tsx'
import { AdTable } from './AdTable.tsx'
import { type Span, spans, useAdsConnections } from './queries.ts'

const ids = ['campaigns', 'adsets', 'ads', 'generator', 'analytics'] as const
type Tab = (typeof ids)[number]
const levels = { campaigns: 'campaign', adsets: 'adset', ads: 'ad' } as const

/** The connected Meta ads account, and ads written within its limits, which works without one. */
export function AdsPage() {
  const { search, change: changeSearch } = useSearch()
  const connections = useAdsConnections()
  const own = connections.data?.connections ?? []
  const [first] = own
  const broken = own.length > 0 && own.every(({ state }) => state === 'broken')
  const works = own.length > 0 && !broken
  const tab = ids.find((id) => id === search.get('tab')) ?? (works ? 'campaigns' : 'generator')
  const days: Span = spans.find((each) => String(each) === search.get('days')) ?? 30
  const account = search.get('account') ?? ''
  const change = (values: Record<string, string>) => changeSearch(values, true)
  const asItStands = (panel: () => React.ReactNode) => {
    if (connections.isPending) return <Skeleton className="mt-6 h-64" />
    if (connections.isError)
      return <ErrorState title="Your connection could not be loaded" error={connections.error} retry={() => connections.refetch()} />
    return works ? panel() : <Unconnected />
  }
  const table = (id: keyof typeof levels) =>
    asItStands(() => <AdTable key={id} level={levels[id]} days={days} account={account} change={change} />)

  return (
    <>
      <PageHeader
        title="Meta Ads Manager"
        badge={connections.data && !first ? <Pill>Not connected</Pill> : null}
        description={
          first ? (
            <>
              Connected as {first.account}.{' '}
              <Link className="underline" to={`${paths.apps}?app=meta-ads`}>
                Manage the connection
              </Link>
            </>
          ) : (
            "Write ads within the platform's limits, and connect your ads account to see and create them here."
          )
        }
      />
      {broken && first ? (
        <Alert className="mb-5" title={`Meta does not accept the connection to ${first.account} any more`}>
          <p className="mb-3">Figures, changes and rules are paused until you connect it again. Your ads at Meta run on as they are.</p>
          <ConnectButton>Connect again</ConnectButton>
        </Alert>
      ) : null}
      <Tabs<Tab>
        label="Meta Ads Manager"
        value={tab}
        onChange={(next) => change({ tab: next, edit: '' })}
        tabs={[
          { id: 'campaigns', label: 'Campaigns', panel: table('campaigns') },
          { id: 'adsets', label: 'Ad Sets', panel: table('adsets') },
          { id: 'ads', label: 'Ads', panel: table('ads') },
          { id: 'generator', label: 'AI Generator', panel: <AdGenerator connected={works} /> },
          { id: 'analytics', label: 'Analytics', panel: asItStands(() => <AdAnalytics days={days} change={change} />) },
        ]}
      />
    </>
  )
}

function Unconnected() {
  return (
    <Panel flush className="mt-6">
      <EmptyState title="No ads account is connected" action={<ConnectButton>{`Connect ${appOf('meta-ads')!.name}`}</ConnectButton>}>
        See campaigns with what they cost and bring, pause and resume them, change budgets, and create ads that start paused. Nothing is
        spent until you resume something.{' '}
        <Link to={`${paths.ads}?tab=generator`} className={buttonClass({ variant: 'ghost' }, 'px-1')}>
          The AI Generator
        </Link>{' '}
        works without an account.
      </EmptyState>
    </Panel>
  )
}

/** Leaves for Meta's own page, which comes back here. */
function ConnectButton({ children }: { children: string }) {
  const [busy, setBusy] = useState(false)
  async function connect() {
    setBusy(true)
    try {
      const { authUrl } = await call('meta-oauth', { action: 'initiate', service: 'meta-ads', return_to: paths.ads })
      location.assign(authUrl)
    } catch (error) {
      toast.error(texts.metaConnectFailed, (error as Error).message)
      setBusy(false)
    }
  }
  return (
    <Button variant="primary" busy={busy ? 'Connecting...' : false} onClick={connect}>
      {children}
    </Button>
  )
}
