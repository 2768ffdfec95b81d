import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { Link } from 'react-router-dom'
import { useRecentActivity } from '../../api/activity.ts'
import { loadBackend, useSession } from '../../api/session.ts'
import { sellerTerms } from '../../content/claims.ts'
import { paths } from '../../paths.ts'
import { cx } from '../../ui/cx.ts'
import { ErrorState, PageHeader, Panel, Skeleton } from '../../ui/Panel.tsx'
import { useProfile, useStats } from './queries.ts'

/** The seller's guide. Each step ticks itself off from what the account really has. */
export function HowItWorksPage() {
  const { user } = useSession()
  const userId = user!.id
  const profile = useProfile(userId)
  const stats = useStats(userId)
  const activity = useRecentActivity(userId)
  const items = useQuery({
    queryKey: ['own-items', userId],
    queryFn: async () => {
      const { rest, rows } = await loadBackend()
      return rows<{ id: string }[]>(rest.from('marketplace_items').select('id').eq('user_id', userId).eq('is_active', true).limit(1))
    },
  })

  const queries = [profile, stats, activity, items]
  const failed = queries.find((query) => query.isError)
  const loading = queries.some((query) => query.isPending)
  const slug = profile.data?.marketplace_slug
  const steps = [
    {
      title: 'Choose a plan',
      text: 'Done: the seller tools are open to you.',
      done: true,
      to: paths.pricing,
      action: 'See plan and usage',
    },
    {
      title: 'Put your name on it',
      text: 'The dashboard and your storefront use it.',
      done: Boolean(profile.data?.display_name),
      to: paths.settings,
      action: 'Open settings',
    },
    {
      title: 'Ask the assistant for something',
      text: 'A draft, a comparison, a list of names. It asks before it spends or sends.',
      done: Boolean(activity.data?.length),
      to: paths.dashboard,
      action: 'Open the dashboard',
    },
    {
      title: 'Bring in your first lead',
      text: 'From a form, an import or by hand.',
      done: Boolean(stats.data?.leads.total),
      to: paths.dashboard,
      action: 'See your leads count',
    },
    {
      title: 'Publish something to sell',
      text: `${sellerTerms} Your storefront opens with the first active item.`,
      done: Boolean(items.data?.length),
      to: slug ? paths.storefront(slug) : paths.settings,
      action: slug ? 'See your storefront' : 'Set up your profile',
    },
  ]
  const done = steps.filter((step) => step.done).length

  return (
    <>
      <PageHeader title="How It Works" description="From a new account to the first sale. The steps tick off by themselves." />
      {failed ? (
        <Panel flush>
          <ErrorState title="Your progress could not be read" error={failed.error} retry={() => queries.map((query) => query.refetch())} />
        </Panel>
      ) : (
        <Panel title={loading ? 'Your progress' : `${done} of ${steps.length} done`} flush className="max-w-[52rem]">
          <div aria-hidden="true" className="flex gap-1 px-4 pt-4">
            {steps.map((step, index) => (
              <span
                key={step.title}
                className={cx('h-1.5 rounded-full', !loading && step.done ? 'bg-signal-text' : 'bg-raised')}
                style={{ flexGrow: [5, 3, 4, 2, 4][index] }}
              />
            ))}
          </div>
          <ol className="divide-y divide-line pt-2">
            {steps.map((step, index) => (
              <li key={step.title} className="flex gap-4 px-4 py-4">
                <span
                  className={cx(
                    'grid size-6 shrink-0 place-items-center rounded-full font-mono text-12',
                    step.done && !loading ? 'bg-signal text-ink' : 'text-muted hairline',
                  )}
                >
                  {step.done && !loading ? <Check className="size-3.5" /> : index + 1}
                  <span className="sr-only">{step.done ? 'Done' : 'To do'}</span>
                </span>
                <div className="min-w-0 flex-1">
                  <h2 className="text-14 font-semibold">{step.title}</h2>
                  {loading ? (
                    <Skeleton className="mt-1.5 h-4 w-64" />
                  ) : (
                    <p className="mt-0.5 max-w-[60ch] text-13 text-muted">{step.text}</p>
                  )}
                </div>
                <Link
                  to={step.to}
                  className="self-center text-13 whitespace-nowrap text-muted underline decoration-control underline-offset-4 hover:text-text max-sm:hidden"
                >
                  {step.action}
                </Link>
              </li>
            ))}
          </ol>
        </Panel>
      )}
    </>
  )
}
