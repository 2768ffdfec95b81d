import { texts } from '@operon/contracts/messages'
import { Share2, Zap } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { useRecentActivity } from '../../api/activity.ts'
import { useSession } from '../../api/session.ts'
import { countedUsage, unitNames, useSubscription } from '../../api/subscription.ts'
import { sampleActivity, sampleStats } from '../../content/samples.ts'
import { paths } from '../../paths.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copy.ts'
import { ActivityList, CopyField, GeneMeter, Stat, StatRow } from '../../ui/Data.tsx'
import { ago } from '../../ui/format.ts'
import { Asked, EmptyState, ErrorState, PageHeader, Panel, SamplePill, Skeleton } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { useSampleData } from '../../ui/useSampleData.ts'
import { QuickActions } from './QuickActions.tsx'
import { useContactCount, useProfile, useStats } from './queries.ts'
import { useSteps } from './steps.ts'

export function DashboardPage() {
  const { user } = useSession()
  const profile = useProfile(user!.id)
  const [actions, setActions] = useState(false)
  const slug = profile.data?.marketplace_slug
  const link = slug ? `${location.origin}${paths.storefront(slug)}` : undefined
  const name = profile.data?.display_name || user!.email || 'User'

  async function share() {
    if (!link) return toast.error(texts.noMarketplaceLink)
    await copyText(link, texts.linkCopied)
  }

  return (
    <>
      <PageHeader
        title={profile.isPending ? <Skeleton className="my-1.5 h-8 w-72" /> : `Welcome Back, ${name}!`}
        actions={
          <>
            {link ? (
              <Button onClick={share}>
                <Share2 />
                Share Marketplace
              </Button>
            ) : null}
            <Button variant="primary" onClick={() => setActions(true)}>
              <Zap />
              Quick Actions
            </Button>
          </>
        }
      />
      <div className="flex flex-col gap-6">
        <Overview userId={user!.id} />
        <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-3">
          <RecentActivity userId={user!.id} className="lg:col-span-2" />
          <div className="flex flex-col gap-6">
            <NextStep userId={user!.id} />
            <ThisMonth userId={user!.id} />
            {link ? (
              <Panel title="Your Marketplace">
                <p className="mb-3 text-13 text-muted">Anyone with this link can browse, without an account.</p>
                <CopyField label="Marketplace link" value={link} open said={texts.linkCopied} />
              </Panel>
            ) : null}
          </div>
        </div>
      </div>
      <QuickActions open={actions} onClose={() => setActions(false)} onShare={share} />
    </>
  )
}

function Overview({ userId }: { userId: string }) {
  const stats = useStats(userId)
  const counted = useContactCount(userId).data
  const samples = useSampleData()
  const { leads, appointments, campaigns, emails_sent } = stats.data ?? {}
  const empty = stats.data && !leads?.total && !appointments?.total && !campaigns?.total && !emails_sent?.total
  const sampled = Boolean(empty && samples.shown)
  return (
    <section aria-labelledby="overview">
      <div className="mb-3 flex min-h-8 flex-wrap items-center justify-between gap-x-1">
        <h2 id="overview" className="flex items-center gap-1.5 text-16 font-semibold whitespace-nowrap max-[23rem]:text-14 sm:gap-2">
          Analytics Overview
          {sampled ? <SamplePill /> : null}
        </h2>
        {empty ? (
          <Button
            variant="ghost"
            className="-mr-2 px-2 sm:-mr-3 sm:px-3"
            aria-label={samples.shown ? 'Hide sample data' : 'Show sample data'}
            onClick={samples.toggle}
          >
            <span>
              {samples.shown ? 'Hide' : 'Show'}
              <span className="max-sm:hidden"> sample data</span>
            </span>
          </Button>
        ) : null}
      </div>
      {stats.isError ? (
        <Panel flush>
          <ErrorState title="The figures could not be loaded" error={stats.error} retry={() => stats.refetch()} />
        </Panel>
      ) : (
        <StatRow>
          {sampled
            ? sampleStats.map((stat) => <Stat key={stat.label} {...stat} />)
            : (
                [
                  ['Total Leads', leads],
                  ['Appointments', appointments],
                  ['Email Campaigns', campaigns],
                  ['Emails Sent', emails_sent],
                ] as const
              ).map(([label, figure]) => (
                <Stat
                  key={label}
                  label={label}
                  value={(figure?.total ?? 0).toLocaleString('en-US')}
                  change={figure?.change_pct ?? 0}
                  note={
                    label === 'Total Leads' && counted?.contacts ? `${counted.with_email.toLocaleString('en-US')} with an email` : undefined
                  }
                  loading={stats.isPending}
                />
              ))}
        </StatRow>
      )}
    </section>
  )
}

function RecentActivity({ userId, className }: { userId: string; className?: string }) {
  const activity = useRecentActivity(userId)
  const samples = useSampleData()
  const empty = activity.data?.length === 0
  const sampled = Boolean((empty || activity.isError) && samples.shown)
  return (
    <Panel title="Recent Activity" badge={sampled ? <SamplePill /> : null} flush className={className}>
      {activity.isPending ? <ActivitySkeleton /> : null}
      <Asked query={activity} failed="Your activity could not be loaded" />
      {sampled ? (
        <ActivityList entries={sampleActivity} />
      ) : empty ? (
        <EmptyState title="Nothing has happened yet">Your work and the assistant's appears here as it happens.</EmptyState>
      ) : (
        <ActivityList
          entries={(activity.data ?? []).map((row) => ({
            id: row.id,
            text: row.command,
            status: row.status ?? 'completed',
            at: ago(row.created_at),
            link: row.link,
          }))}
        />
      )}
    </Panel>
  )
}

/** The one thing to do next on the way to the first sale; gone when nothing open is left. */
function NextStep({ userId }: { userId: string }) {
  const { next, loading } = useSteps(userId)
  if (loading || !next?.to) return null
  return (
    <Panel title="Next" actions={<TextLink to={paths.howItWorks}>All steps</TextLink>}>
      <p className="text-14 font-medium">{next.title}</p>
      <p className="mt-0.5 mb-3 text-13 text-muted">{next.text}</p>
      <ButtonLink to={next.to}>{next.action}</ButtonLink>
    </Panel>
  )
}

function ThisMonth({ userId }: { userId: string }) {
  const subscription = useSubscription(userId)
  const usage = subscription.data?.usage ?? []
  return (
    <Panel title="This month" actions={<TextLink to={paths.pricing}>Plan and limits</TextLink>}>
      <Asked query={subscription} skeleton="h-6" failed="The usage could not be loaded" />
      <div className="flex flex-col gap-4">
        {countedUsage(usage).map((row) => (
          <GeneMeter key={row.unit} label={unitNames[row.unit]} used={row.used} limit={row.limit} />
        ))}
      </div>
    </Panel>
  )
}

function TextLink({ to, children }: { to: string; children: string }) {
  return (
    <Link to={to} className="text-13 text-muted underline decoration-control underline-offset-4 hover:text-text">
      {children}
    </Link>
  )
}

function ActivitySkeleton() {
  return (
    <div className="divide-y divide-line" aria-hidden="true">
      {[44, 62, 38, 54, 48].map((width) => (
        <div key={width} className="flex h-10 items-center gap-3 px-4">
          <Skeleton className="h-1.5 w-3" />
          <div style={{ width: `${width}%` }}>
            <Skeleton className="h-3.5" />
          </div>
        </div>
      ))}
    </div>
  )
}
