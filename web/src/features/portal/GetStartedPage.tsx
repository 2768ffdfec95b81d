import { plans, TRIAL_DAYS } from '@operon/contracts/plans'
import { ArrowRight } from 'lucide-react'
import { Link } from 'react-router-dom'
import { paths } from '../../paths.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { buttonClass } from '../../ui/Button.tsx'
import { money } from '../../ui/format.ts'
import { type Gene, GeneRow } from '../../ui/Mark.tsx'
import { SectionHead } from '../../ui/SectionHead.tsx'

type Way = { to: string; name: string; title: string; text: string; has: string[]; genes: Gene[]; go: string }

const ways: Way[] = [
  {
    to: paths.sellerPortal,
    name: 'Seller',
    title: 'I run or build a business',
    text: 'The dashboard: assistants, the AI Lab, content, ads and names.',
    has: [
      `A free trial of ${TRIAL_DAYS} days, then from ${money(plans[0]!.priceCents)} a month`,
      'An assistant that asks before it spends or sends',
      'Your own storefront',
    ],
    genes: [{ width: 74 }, { width: 34 }, { width: 56 }, { width: 40 }],
    go: 'Continue as a seller',
  },
  {
    to: paths.buyerPortal,
    name: 'Buyer',
    title: 'I want to browse and buy',
    text: 'One account for every storefront. A seller can be a buyer, too.',
    has: ['No subscription, nothing to pay', 'Browse storefronts without registering', 'Orders and downloads in one place'],
    genes: [{ width: 48 }, { width: 74 }, { width: 34 }],
    go: 'Continue as a buyer',
  },
]

export function GetStartedPage() {
  return (
    <PublicLayout footer={false}>
      <div className="rail flex w-full flex-1 flex-col">
        <SectionHead as="h1" title="How do you want to start?">
          You'll land here each time you sign in.
        </SectionHead>
        <div className="grid border-y border-line md:grid-cols-2">
          {ways.map((way) => (
            <Link
              key={way.to}
              to={way.to}
              className="group flex flex-col items-start border-line px-5 py-9 outline-offset-[-3px] transition-colors duration-120 not-first:border-t hover:bg-panel md:px-8 md:py-12 md:not-first:border-t-0 md:not-first:border-l"
            >
              <GeneRow genes={way.genes} className="[&_.fill-page]:group-hover:fill-panel" />
              <span className="mt-8 text-14 text-faint">{way.name}</span>
              <span className="text-28 font-semibold">{way.title}</span>
              <span className="mt-2 max-w-[46ch] text-muted">{way.text}</span>
              <span className="mt-6 mb-8 flex w-full max-w-md flex-1 flex-col text-14">
                {way.has.map((line) => (
                  <span key={line} className="flex gap-3 border-b border-line py-2.5 last:border-0">
                    <span aria-hidden="true" className="mt-[0.5rem] h-1.5 w-3 shrink-0 rounded-full bg-signal-text" />
                    {line}
                  </span>
                ))}
              </span>
              <span className={buttonClass({ size: 'public' }, 'group-hover:border-control')}>
                {way.go}
                <ArrowRight className="transition-transform duration-200 group-hover:translate-x-0.5" />
              </span>
            </Link>
          ))}
        </div>
        <p className="px-5 py-6 text-14 text-muted md:px-8">
          Already have an account?{' '}
          <Link to={paths.auth} className="text-text underline decoration-control underline-offset-4 hover:decoration-text">
            Sign in
          </Link>
        </p>
      </div>
    </PublicLayout>
  )
}
