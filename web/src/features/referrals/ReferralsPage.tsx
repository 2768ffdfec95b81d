import { REFERRAL_PERCENT_OFF, REFUND_WINDOW_DAYS } from '@operon/contracts/plans'
import { useQuery } from '@tanstack/react-query'
import { fnCall, type ReferralSummary } from '../../api/billing.ts'
import { useSession } from '../../api/session.ts'
import { LandingView } from '../../shell/LandingView.tsx'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { CopyField, Stat, Table } from '../../ui/Data.tsx'
import { day, money } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel, Pill, Skeleton } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'

/** The referrer's page when signed in, else the landing view. */
export function ReferralsPage() {
  const { user } = useSession({ eager: false })
  return user ? <Referrals userId={user.id} /> : <LandingView />
}

function Referrals({ userId }: { userId: string }) {
  const summary = useQuery({ queryKey: ['referrals', userId], queryFn: () => fnCall<ReferralSummary>('referral-summary') })
  return (
    <PublicLayout>
      <div className="mx-auto max-w-[60rem] px-5 py-14 md:px-8 md:py-20">
        <h1 className="text-40 font-semibold">Bring someone along</h1>
        <p className="mt-3 max-w-[56ch] text-muted">
          They get {REFERRAL_PERCENT_OFF}% off their first month. You get the same amount as credit, {REFUND_WINDOW_DAYS} days after they
          pay.
        </p>
        {summary.isPending ? <Skeleton className="mt-10 h-40" /> : null}
        {summary.isError ? (
          <ErrorState title="Your referrals could not be loaded" error={summary.error} retry={() => summary.refetch()} />
        ) : null}
        {summary.data ? (
          <div className="mt-10 flex flex-col gap-6">
            <Panel title="Your link" badge={<Pill>{summary.data.code}</Pill>}>
              <CopyField label="Referral link" value={summary.data.link} onCopied={() => toast.success('Referral link copied')} />
            </Panel>
            <div className="grid grid-cols-2 gap-px overflow-hidden rounded-panel bg-line hairline">
              <Stat label="Signed up" value={summary.data.sign_ups} />
              <Stat label="Credit earned" value={money(summary.data.credit_cents)} />
            </div>
            <Panel title="Credits" flush>
              {summary.data.credits.length ? (
                <Table label="Credits" head={['Due', 'Amount', 'State']}>
                  {summary.data.credits.map((credit) => (
                    <tr key={`${credit.due_at}-${credit.amount_cents}`}>
                      <td>{day(credit.due_at)}</td>
                      <td className="font-mono text-12 tabular">{money(credit.amount_cents, credit.currency)}</td>
                      <td>
                        <Pill tone={credit.state === 'credited' ? 'good' : 'neutral'}>{credit.state}</Pill>
                      </td>
                    </tr>
                  ))}
                </Table>
              ) : (
                <EmptyState compact title="No credits yet">
                  When someone you brought pays for a plan, the credit is listed here.
                </EmptyState>
              )}
            </Panel>
          </div>
        ) : null}
      </div>
    </PublicLayout>
  )
}
