import { comingUnits, modelLimitsOf, type Period, type Plan, type Unit } from '@operon/contracts/plans'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { money } from '../../ui/format.ts'
import { Pill } from '../../ui/Panel.tsx'

const count = (value: number | null, noun: string) => `${value === null ? 'Unlimited' : value.toLocaleString('en-US')} ${noun}`

const nouns: [Unit, string][] = [
  ['prompts', 'AI prompts'],
  ['images', 'images'],
  ['emails', 'emails'],
  ['runs', 'workflow runs'],
  ['agents', 'voice agents'],
]

type Props = {
  plan: Plan
  period: Period
  current: boolean
  marked: boolean
  label: string
  busy: boolean
  waiting: boolean
  onChoose: () => void
}

export function PlanCard({ plan, period, current, marked, label, busy, waiting, onChoose }: Props) {
  return (
    <article
      aria-label={plan.name}
      className={cx(
        'relative flex flex-col gap-7 border-line px-5 py-9 not-first:border-t md:px-8 md:not-first:border-t-0 md:not-first:border-l',
        marked && 'bg-panel',
      )}
    >
      {marked ? (
        <span aria-hidden="true" className="absolute -top-px left-5 h-1.5 w-24 -translate-y-1/2 rounded-full bg-signal-text md:left-8" />
      ) : null}
      <div>
        <h2 className="flex min-h-6 flex-wrap items-center gap-2 text-16 font-semibold">
          {plan.name}
          {current ? <Pill tone="signal">Current plan</Pill> : plan.popular ? <Pill>Popular</Pill> : null}
        </h2>
        <p className="mt-5 text-40 font-semibold">
          {money(period === 'year' ? plan.yearlyCents / 12 : plan.priceCents)}
          <span className="text-14 font-normal tracking-normal text-muted"> per {plan.period}</span>
        </p>
        <p className="mt-1 text-13 text-muted">
          {period === 'year' ? `${money(plan.yearlyCents)} a year, paid at once` : 'Paid each month'}
        </p>
        <p className="mt-2 text-14 text-muted">{plan.description}</p>
      </div>
      <ul className="flex flex-1 flex-col text-14">
        <li className="flex items-center gap-3 border-b border-line py-2.5">
          <span aria-hidden="true" className="h-1.5 w-3 rounded-full bg-signal-text" />
          {money(modelLimitsOf(plan.id).budgetMicrousd / 10_000)} model budget a month
        </li>
        {nouns.map(([unit, noun]) => {
          const isComing = comingUnits.includes(unit)
          return (
            <li key={unit} className="flex items-center gap-3 border-b border-line py-2.5 last:border-0">
              <span
                aria-hidden="true"
                className={cx('h-1.5 w-3 rounded-full', isComing ? 'border border-dashed border-control' : 'bg-signal-text')}
              />
              {count(plan.limits[unit], noun)}
              {isComing ? <span className="ml-auto text-12 text-faint">Coming</span> : null}
            </li>
          )
        })}
      </ul>
      <Button
        size="public"
        variant={marked && !current ? 'primary' : 'secondary'}
        busy={busy ? 'Opening' : false}
        disabled={waiting}
        onClick={onChoose}
      >
        {label}
      </Button>
    </article>
  )
}
