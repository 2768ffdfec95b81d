import { type PlanId, plans, REFERRAL_PERCENT_OFF, type Unit } from '@operon/contracts/plans'
import { Table } from '../../ui/Data.tsx'

const units: [Unit, string][] = [
  ['prompts', 'AI prompts a month'],
  ['images', 'Images a month'],
  ['emails', 'Emails a month'],
  ['runs', 'Workflow runs a month'],
  ['agents', 'Voice agents'],
]

export function Compare({ current }: { current: PlanId | null }) {
  return (
    <section className="mt-16 text-14">
      <h2 className="mb-4 text-20 font-semibold">Plans compared</h2>
      <div className="rounded-panel hairline">
        <Table
          label="Plans compared"
          head={['What is counted', ...plans.map((plan) => `${plan.name}${plan.id === current ? ' (yours)' : ''}`)]}
        >
          {units.map(([unit, label]) => (
            <tr key={unit}>
              <th scope="row" className="px-4 py-2.5 font-normal whitespace-nowrap text-muted">
                {label}
              </th>
              {plans.map((plan) => (
                <td key={plan.id} className="font-mono text-12 tabular">
                  {plan.limits[unit]?.toLocaleString('en-US') ?? 'Unlimited'}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      </div>
      <p className="mt-3 max-w-[68ch] text-13 text-faint">
        You are told at 80% and at 100% of a limit; at 100% that tool waits for the next month or the next plan. A referral code takes{' '}
        {REFERRAL_PERCENT_OFF}% off the first month.
      </p>
    </section>
  )
}
