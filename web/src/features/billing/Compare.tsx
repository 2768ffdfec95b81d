import { comingUnits, type ModelLimits, modelLimitsOf, type PlanId, plans, REFERRAL_PERCENT_OFF, type Unit } from '@operon/contracts/plans'
import { cx } from '../../ui/cx.ts'
import { Table } from '../../ui/Data.tsx'
import { money } from '../../ui/format.ts'

const units: [Unit, string][] = [
  ['prompts', 'AI prompts a month'],
  ['images', 'Images a month'],
  ['emails', 'Emails a month'],
  ['runs', 'Workflow runs a month'],
  ['agents', 'Voice agents'],
]

const bounds: [string, (limits: ModelLimits) => string][] = [
  ['Model budget a month', ({ budgetMicrousd }) => money(budgetMicrousd / 10_000)],
  ['Longest question, in characters', ({ inputCharacters }) => inputCharacters.toLocaleString('en-US')],
  ['Longest answer, in tokens', ({ outputTokens }) => outputTokens.toLocaleString('en-US')],
]

export function Compare({ current }: { current: PlanId | null }) {
  return (
    <section className="border-t border-line text-14">
      <h2 className="px-5 pt-10 pb-5 text-20 font-semibold md:px-8">Plans compared</h2>
      <div className="border-y border-line [&_table]:md:table-fixed [&_td]:max-md:px-2 [&_th:first-child]:pl-5 [&_th:first-child]:md:pl-8 [&_th]:max-md:px-2 [&_th]:max-md:whitespace-normal">
        <Table label="Plans compared" head={['Limit', ...plans.map((plan) => `${plan.name}${plan.id === current ? ' (yours)' : ''}`)]}>
          {bounds.map(([label, boundOf]) => (
            <tr key={label}>
              <th scope="row" className="px-4 py-2.5 font-normal text-muted md:whitespace-nowrap">
                {label}
              </th>
              {plans.map((plan) => (
                <td key={plan.id} className={cx('tabular', plan.id === current && 'bg-panel font-medium')}>
                  {boundOf(modelLimitsOf(plan.id))}
                </td>
              ))}
            </tr>
          ))}
          {units.map(([unit, label]) => (
            <tr key={unit}>
              <th scope="row" className="px-4 py-2.5 font-normal text-muted md:whitespace-nowrap">
                {label}
                {comingUnits.includes(unit) ? <span className="text-12 text-faint max-md:block md:ml-2">Coming</span> : null}
              </th>
              {plans.map((plan) => (
                <td key={plan.id} className={cx('tabular', plan.id === current && 'bg-panel font-medium')}>
                  {plan.limits[unit]?.toLocaleString('en-US') ?? 'Unlimited'}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      </div>
      <p className="max-w-[76ch] px-5 py-6 text-13 text-faint md:px-8">
        We notify you at 80% and at 100% of a limit. At 100%, that tool pauses until next month, or until you upgrade or buy a top-up. The
        model budget is what a month of answers may cost at the models’ list prices, on every plan; it is part of the price, never billed on
        top. The trial has {money(modelLimitsOf('trial').budgetMicrousd / 10_000)} of it. A referral code takes {REFERRAL_PERCENT_OFF}% off
        the first month, or the same amount off the first year. Limits and the model budget start again each month on yearly plans too.
      </p>
    </section>
  )
}
