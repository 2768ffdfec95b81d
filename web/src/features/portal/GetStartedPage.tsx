import { ArrowRight } from 'lucide-react'
import { Link } from 'react-router-dom'
import { sellerTerms } from '../../content/claims.ts'
import { paths } from '../../paths.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'

const ways = [
  {
    to: paths.sellerPortal,
    title: 'I run or build a business',
    name: 'Seller',
    text: `The dashboard with every tool, and a storefront for templates you want to sell. ${sellerTerms}`,
    bars: [44, 20, 32],
  },
  {
    to: paths.buyerPortal,
    title: 'I want to browse and buy',
    name: 'Buyer',
    text: 'Your orders, downloads, wishlist and reviews in one place. No subscription.',
    bars: [28, 0, 0],
  },
]

export function GetStartedPage() {
  return (
    <PublicLayout footer={false}>
      <div className="mx-auto max-w-[60rem] px-5 py-16 md:px-8 md:py-24">
        <h1 className="text-40 font-semibold">How do you want to start?</h1>
        <p className="mt-3 max-w-[52ch] text-muted">The account remembers where it began and opens there. A seller can buy, too.</p>
        <div className="mt-10 overflow-hidden rounded-panel hairline">
          {ways.map((way) => (
            <Link
              key={way.to}
              to={way.to}
              className="group flex items-start gap-6 border-b border-line bg-panel p-6 outline-offset-[-3px] transition-colors duration-120 last:border-0 hover:bg-raised md:p-8"
            >
              <svg
                viewBox="0 0 150 40"
                className="hidden h-10 w-[9.375rem] shrink-0 text-control sm:block"
                fill="none"
                stroke="currentColor"
                strokeWidth="1.5"
                strokeLinecap="round"
                strokeLinejoin="round"
                aria-hidden="true"
              >
                <path d="M2 29V9h14m-5-5 5 5-5 5M2 29h146" />
                {way.bars.map((width, index) =>
                  width ? (
                    <rect
                      key={width}
                      x={[14, 64, 92][index]}
                      y="22"
                      width={width}
                      height="14"
                      rx="7"
                      className="fill-signal"
                      stroke="none"
                    />
                  ) : null,
                )}
              </svg>
              <span className="flex-1">
                <span className="block text-13 text-faint">{way.name}</span>
                <span className="block text-20 font-semibold">{way.title}</span>
                <span className="mt-1.5 block max-w-[52ch] text-14 text-muted">{way.text}</span>
              </span>
              <ArrowRight className="mt-6 size-5 text-faint transition-transform duration-200 group-hover:translate-x-1 group-hover:text-text" />
            </Link>
          ))}
        </div>
        <p className="mt-6 text-14 text-muted">
          Already have an account?{' '}
          <Link to={paths.auth} className="text-text underline decoration-control underline-offset-4 hover:decoration-text">
            Sign in
          </Link>
        </p>
      </div>
    </PublicLayout>
  )
}
