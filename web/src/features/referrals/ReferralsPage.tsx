import { REFERRAL_PERCENT_OFF, REFUND_WINDOW_DAYS } from '@operon/contracts/plans'
import type { ReactNode } from 'react'
import { useCall } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import type { Otherwise } from '../../lazyPage.tsx'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { CopyField, Table } from '../../ui/Data.tsx'
import { day, money } from '../../ui/format.ts'
import { Asked, EmptyState, Pill } from '../../ui/Panel.tsx'
import { SectionHead } from '../../ui/SectionHead.tsx'

/** The referrer's page when signed in, else the landing view. */
export function ReferralsPage({ otherwise }: Otherwise) {
  const { user } = useSession({ eager: false })
  return user ? <Referrals userId={user.id} /> : otherwise
}

function Referrals({ userId }: { userId: string }) {
  const summary = useCall('referral-summary', {}, { key: ['referrals', userId] })
  return (
    <PublicLayout>
      <div className="rail w-full">
        <SectionHead as="h1" title="Refer someone">
          They get {REFERRAL_PERCENT_OFF}% off their first month. You get the same amount as credit, {REFUND_WINDOW_DAYS} days after they
          pay.
        </SectionHead>
        <Asked query={summary} skeleton="m-5 h-40 md:m-8" failed="Your referrals could not be loaded" />
        {summary.data ? (
          <div className="grid border-t border-line lg:grid-cols-12">
            <div className="flex flex-col gap-8 px-5 py-9 md:px-8 md:py-12 lg:col-span-5">
              <div>
                <h2 className="mb-3 flex items-center gap-3 text-16 font-semibold">
                  Your link
                  <Pill>{summary.data.code}</Pill>
                </h2>
                <CopyField label="Referral link" value={summary.data.link} said="Referral link copied" />
              </div>
              <dl className="grid grid-cols-2 gap-6">
                <Figure label="Signed up" value={summary.data.sign_ups} />
                <Figure label="Credit earned" value={money(summary.data.credit_cents)} />
              </dl>
            </div>
            <div className="border-line max-lg:border-t lg:col-span-7 lg:border-l">
              <h2 className="px-5 pt-9 pb-3 text-16 font-semibold md:px-8 lg:pt-12">Credits</h2>
              {summary.data.credits.length ? (
                <div className="px-1 pb-6 md:px-4">
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
                  {summary.data.more ? (
                    <p className="px-4 pt-3 text-12 text-faint">These are your newest {summary.data.credits.length} credits.</p>
                  ) : null}
                </div>
              ) : (
                <div className="md:px-3">
                  <EmptyState compact title="No credits yet">
                    When someone you referred pays for a plan, the credit appears here.
                  </EmptyState>
                </div>
              )}
            </div>
          </div>
        ) : null}
      </div>
    </PublicLayout>
  )
}

function Figure({ label, value }: { label: string; value: ReactNode }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-13 text-muted">{label}</dt>
      <dd className="text-28 font-semibold">{value}</dd>
    </div>
  )
}
