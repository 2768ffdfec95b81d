import { badges, figures, sellerTerms, unverifiedNote } from '../../content/claims.ts'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { ButtonLink } from '../../ui/Button.tsx'

const reasons = [
  {
    title: 'It asks before it acts',
    text: 'The assistant prepares the mail, the ad, the refund. You see what it will do and what it costs, and say yes.',
  },
  {
    title: 'One bill, one limit to watch',
    text: 'Every plan says what it holds in numbers. You are told at 80 percent, not at the end of the month.',
  },
  { title: 'Your data leaves with you', text: 'Export everything from settings whenever you like. Deleting the account deletes it.' },
]

export function WhyChoose() {
  const shown = figures.filter((figure) => figure.shown)
  const unverified = [...figures, ...badges].some((claim) => claim.shown && !claim.verified)
  return (
    <section id="resources" className="border-t border-line bg-panel">
      <div className="mx-auto max-w-[84rem] px-5 py-20 md:px-8 md:py-28">
        <div className="grid gap-x-10 gap-y-12 md:grid-cols-12">
          <h2 className="text-40 font-semibold md:col-span-5">Why choose {product.name}</h2>
          <ol className="md:col-span-7">
            {reasons.map((reason, index) => (
              <li
                key={reason.title}
                className="grid gap-x-8 gap-y-1 border-t border-line py-6 first:border-0 first:pt-1 sm:grid-cols-[12rem_1fr]"
              >
                <h3 className="text-16 font-semibold">
                  <span aria-hidden="true" className="mb-3 flex gap-1">
                    {[20, 9, 13].map((width, bar) => (
                      <span key={width} className={`h-1.5 rounded-full ${bar <= index ? 'bg-signal-text' : 'bg-line'}`} style={{ width }} />
                    ))}
                  </span>
                  {reason.title}
                </h3>
                <p className="text-muted sm:pt-[1.125rem]">{reason.text}</p>
              </li>
            ))}
          </ol>
        </div>

        {shown.length ? (
          <dl className="mt-16 grid grid-cols-2 gap-x-8 gap-y-8 border-t border-line pt-8 sm:grid-cols-4 lg:grid-cols-7">
            {shown.map((figure) => (
              <div key={figure.label} className="flex flex-col-reverse">
                <dt className="text-13 text-muted">{figure.label}</dt>
                <dd className="text-28 font-semibold tabular">{figure.value}</dd>
              </div>
            ))}
          </dl>
        ) : null}
        <div className="mt-8 flex flex-wrap items-center gap-x-6 gap-y-2 text-13 text-faint">
          {badges
            .filter((badge) => badge.shown)
            .map((badge) => (
              <span key={badge.value}>
                <span className="font-medium text-text">{badge.value}</span> {badge.label}
              </span>
            ))}
          {unverified ? <span className="basis-full">{unverifiedNote}</span> : null}
        </div>

        <div id="marketplace" className="mt-16 grid items-end gap-x-10 gap-y-6 border-t border-line pt-12 md:grid-cols-12">
          <div className="md:col-span-7">
            <h2 className="text-28 font-semibold">Built something others need? Sell it.</h2>
            <p className="mt-3 max-w-[56ch] text-muted">
              Publish automation templates on a storefront of your own. Buyers browse and buy without registering. {sellerTerms}
            </p>
          </div>
          <div className="flex flex-wrap gap-2 md:col-span-5 md:justify-end">
            <ButtonLink to={paths.sellerPortal} size="public">
              Open a storefront
            </ButtonLink>
            <ButtonLink to={paths.buyerPortal} size="public" variant="ghost">
              Browse as a buyer
            </ButtonLink>
          </div>
        </div>
      </div>
    </section>
  )
}
