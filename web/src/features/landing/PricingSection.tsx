import { comingUnits, modelLimitsOf, type Period, type PlanId, plans, TRIAL_DAYS, type Unit } from '@operon/contracts/plans'
import { useState } from 'react'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { Button, ButtonLink, buttonClass } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { money } from '../../ui/format.ts'
import { Pill } from '../../ui/Panel.tsx'
import { SectionHead } from '../../ui/SectionHead.tsx'

/** The allowances in the words of the offer; the limits enforced are the plan table's. */
const allowances: Record<PlanId, Partial<Record<Unit, string>>> = {
  basic: { emails: '3,000 emails', runs: '10,000 workflow executions', prompts: '1,000 AI prompts', images: '150 images' },
  pro: { emails: '9,000 emails', runs: '25,000 executions', prompts: '2,000-3,000 prompts', images: '200 images' },
  enterprise: { emails: 'Unlimited emails', runs: 'Unlimited executions', prompts: 'Unlimited prompts', images: 'Unlimited images' },
}

export function PricingSection() {
  const [period, setPeriod] = useState<Period>('month')
  return (
    <section id="pricing" className="after-paint border-t border-line">
      <div className="rail">
        <SectionHead title="Priced like a tool, not a team.">
          Try any plan for {TRIAL_DAYS} days. When you reach a limit, that tool pauses and shows you why.
        </SectionHead>
        <div className="px-5 py-6 md:px-8">
          <Button size="public" onClick={() => setPeriod(period === 'year' ? 'month' : 'year')}>
            Show {period === 'year' ? 'monthly' : 'yearly'} prices
          </Button>
        </div>
        <div className="grid border-y border-line md:grid-cols-3">
          {plans.map((plan) => (
            <article
              key={plan.id}
              className={cx(
                'relative flex flex-col gap-7 border-line px-5 py-9 not-first:border-t md:px-8 md:not-first:border-t-0 md:not-first:border-l',
                plan.popular && 'bg-panel',
              )}
            >
              {plan.popular ? (
                <span
                  aria-hidden="true"
                  className="absolute -top-px left-5 h-1.5 w-24 -translate-y-1/2 rounded-full bg-signal-text md:left-8"
                />
              ) : null}
              <div>
                <h3 className="flex min-h-6 flex-wrap items-center gap-2.5 text-16 font-semibold">
                  {plan.landingName}
                  {plan.popular ? <Pill tone="signal">Most Popular</Pill> : null}
                </h3>
                <p className="mt-5 text-40 font-semibold">
                  {plan.id === 'enterprise' ? 'Contact us' : money(period === 'year' ? plan.yearlyCents / 12 : plan.priceCents)}
                  {plan.id === 'enterprise' ? null : (
                    <span className="text-16 font-normal tracking-normal text-muted">
                      /month{period === 'year' ? `, billed ${money(plan.yearlyCents)} yearly` : ''}
                    </span>
                  )}
                </p>
              </div>
              <ul className="flex flex-1 flex-col text-14">
                {builtFirst(allowances[plan.id]).map(([unit, line]) => (
                  <li key={unit} className="flex items-center gap-3 border-b border-line py-2.5 last:border-0">
                    <span
                      aria-hidden="true"
                      className={cx('h-1.5 w-3 rounded-full', isComing(unit) ? 'border border-dashed border-control' : 'bg-signal-text')}
                    />
                    {line}
                  </li>
                ))}
              </ul>
              {plan.id === 'enterprise' ? (
                <a href={`mailto:${product.email}?subject=Enterprise`} className={buttonClass({ size: 'public' })}>
                  Contact us
                </a>
              ) : (
                <ButtonLink to={paths.getStarted} size="public" variant={plan.popular ? 'primary' : 'secondary'}>
                  Get Started
                </ButtonLink>
              )}
            </article>
          ))}
        </div>
        <p className="px-5 py-6 text-14 text-muted md:px-8">
          Every plan starts with a {TRIAL_DAYS}-day free trial. A referral code takes 30% off the first month. Outlined items are on their
          way. Answers share a model budget each month: {plans.map(({ id }) => money(modelLimitsOf(id).budgetMicrousd / 10_000)).join(', ')}
          .
        </p>
      </div>
    </section>
  )
}

const isComing = (unit: string) => comingUnits.includes(unit as Unit)
const builtFirst = (lines: object) => Object.entries(lines).sort(([one], [other]) => Number(isComing(one)) - Number(isComing(other)))
