import type { Plan } from '@operon/contracts/plans'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { money } from '../../ui/format.ts'
import { Pill } from '../../ui/Panel.tsx'

const count = (value: number | null, noun: string) => `${value === null ? 'Unlimited' : value.toLocaleString('en-US')} ${noun}`

export function allowancesOf({ limits }: Plan) {
  return [
    count(limits.prompts, 'AI prompts'),
    count(limits.images, 'images'),
    count(limits.emails, 'emails'),
    count(limits.runs, 'workflow runs'),
    count(limits.agents, 'voice agents'),
  ]
}

type Props = { plan: Plan; current: boolean; label: string; busy: boolean; waiting: boolean; onChoose: () => void }

export function PlanCard({ plan, current, label, busy, waiting, onChoose }: Props) {
  return (
    <article
      aria-label={plan.name}
      className={cx(
        'flex flex-col gap-6 border-line p-6 not-last:border-b md:p-8 md:not-last:border-r md:not-last:border-b-0',
        current ? 'bg-raised' : plan.popular ? 'bg-panel' : '',
      )}
    >
      <div>
        <h2 className="flex min-h-6 flex-wrap items-center gap-2 text-16 font-semibold">
          {plan.name}
          {current ? <Pill tone="signal">Current plan</Pill> : plan.popular ? <Pill>Popular</Pill> : null}
        </h2>
        <p className="mt-4 text-40 font-semibold">
          {money(plan.priceCents)}
          <span className="text-14 font-normal tracking-normal text-muted"> per {plan.period}</span>
        </p>
        <p className="mt-2 text-14 text-muted">{plan.description}</p>
      </div>
      <ul className="flex flex-1 flex-col gap-2 text-14">
        {allowancesOf(plan).map((line) => (
          <li key={line} className="flex items-center gap-2.5">
            <span aria-hidden="true" className="h-1.5 w-3 rounded-full bg-signal-text" />
            {line}
          </li>
        ))}
      </ul>
      <Button
        size="public"
        variant={plan.popular && !current ? 'primary' : 'secondary'}
        busy={busy ? 'Opening' : false}
        disabled={waiting}
        onClick={onChoose}
      >
        {label}
      </Button>
    </article>
  )
}
