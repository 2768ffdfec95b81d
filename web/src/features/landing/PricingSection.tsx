import { plans, TRIAL_DAYS } from '@operon/contracts/plans'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { ButtonLink, buttonClass } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { money } from '../../ui/format.ts'
import { Pill } from '../../ui/Panel.tsx'

/** The allowances in the words of the offer; the limits enforced are the plan table's. */
const allowances: Record<string, string[]> = {
  basic: ['3,000 emails', '10,000 workflow executions', '1,000 AI prompts', '150 images'],
  pro: ['9,000 emails', '25,000 executions', '2,000-3,000 prompts', '200 images'],
  enterprise: ['Unlimited emails', 'Unlimited executions', 'Unlimited prompts', 'Unlimited images'],
}

export function PricingSection() {
  return (
    <section id="pricing" className="border-t border-line">
      <div className="mx-auto max-w-[84rem] px-5 py-20 md:px-8 md:py-28">
        <div className="grid gap-x-10 gap-y-10 md:grid-cols-12">
          <div className="md:col-span-4">
            <h2 className="text-40 font-semibold">Priced like a tool, not a team.</h2>
            <p className="mt-4 max-w-[38ch] text-muted">
              Try any plan for {TRIAL_DAYS} days. What is left unused costs nothing; what is used up stops politely and says so.
            </p>
          </div>
          <div className="grid overflow-hidden rounded-panel hairline sm:grid-cols-3 md:col-span-8">
            {plans.map((plan) => (
              <article
                key={plan.id}
                className={cx(
                  'flex flex-col gap-6 border-line p-6 not-last:border-b sm:not-last:border-r sm:not-last:border-b-0',
                  plan.popular ? 'bg-panel' : '',
                )}
              >
                <div>
                  <h3 className="flex min-h-6 flex-wrap items-center gap-2 text-16 font-semibold">
                    {plan.landingName}
                    {plan.popular ? <Pill tone="signal">Most Popular</Pill> : null}
                  </h3>
                  <p className="mt-4 text-28 font-semibold tabular">
                    {plan.id === 'enterprise' ? 'Contact us' : money(plan.priceCents)}
                    {plan.id === 'enterprise' ? null : <span className="text-14 font-normal tracking-normal text-muted"> /month</span>}
                  </p>
                </div>
                <ul className="flex flex-1 flex-col gap-2 text-14 text-muted">
                  {allowances[plan.id]!.map((line) => (
                    <li key={line} className="flex items-center gap-2.5">
                      <span aria-hidden="true" className="h-1.5 w-3 rounded-full bg-signal-text" />
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
        </div>
        <p className="mt-6 text-13 text-faint md:text-right">
          Every plan starts with a {TRIAL_DAYS}-day free trial. A referral code takes 30% off the first month.
        </p>
      </div>
    </section>
  )
}
