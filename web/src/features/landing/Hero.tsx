import { TRIAL_DAYS } from '@operon/contracts/plans'
import { ArrowRight } from 'lucide-react'
import { paths } from '../../paths.ts'
import { ButtonLink, buttonClass } from '../../ui/Button.tsx'
import { DashboardDemo } from './demos/DashboardDemo.tsx'
import { ProductFrame } from './ProductFrame.tsx'

export function Hero() {
  return (
    <section id="home" className="overflow-hidden">
      <div className="mx-auto grid max-w-[84rem] gap-x-10 gap-y-8 px-5 pt-16 pb-12 md:grid-cols-12 md:px-8 md:pt-24">
        <div className="md:col-span-8">
          <h1 className="text-56 font-semibold text-balance">Everything your business runs on, switched on together.</h1>
        </div>
        <div className="flex flex-col items-start gap-5 md:col-span-5">
          <p className="max-w-[46ch] text-muted md:text-[1.0625rem]">
            Leads, content, ads, mail and payments in one place, with an assistant that works all of it and asks before it spends or sends.
          </p>
          <div className="flex flex-wrap gap-2">
            <ButtonLink to={paths.getStarted} variant="primary" size="public">
              Get Started
              <ArrowRight />
            </ButtonLink>
            <a href="#features" className={buttonClass({ size: 'public' })}>
              Explore Features
            </a>
          </div>
          <p className="text-13 text-faint">{TRIAL_DAYS}-day free trial. Cancel in two clicks.</p>
        </div>
        <Row />
      </div>
      <div className="md:pl-[max(2rem,calc((100vw-80rem)/2))]">
        <ProductFrame path="dashboard" className="max-md:rounded-none max-md:border-x-0 md:rounded-r-none md:border-r-0">
          <DashboardDemo />
        </ProductFrame>
      </div>
    </section>
  )
}

const genes = [
  ['leads', 'grow-[3]'],
  ['content', 'grow-[5]'],
  ['ads', 'grow-[2]'],
  ['mail', 'grow-[3]'],
  ['payments', 'grow-[4]'],
] as const

/** The motif at full size: one signal, and the row comes on in order. */
function Row() {
  return (
    <div aria-hidden="true" className="flex items-end md:col-span-7 md:pb-1">
      <svg
        aria-hidden="true"
        viewBox="0 0 56 64"
        className="h-16 w-14 shrink-0 text-text"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        <path d="M2 48V16h34m-9-9 9 9-9 9M2 48h54" />
      </svg>
      <div className="relative flex min-w-0 flex-1 gap-1.5 sm:gap-2.5">
        <span className="absolute inset-x-0 top-1/2 h-px bg-control" />
        {genes.map(([name, grow], index) => (
          <span
            key={name}
            className={`relative flex h-8 min-w-0 items-center justify-center overflow-hidden rounded-full bg-signal px-2 font-mono text-12 font-medium text-ink animate-switch-on max-sm:text-[0] ${grow}`}
            style={{ animationDelay: `${200 + index * 140}ms` }}
          >
            {name}
          </span>
        ))}
      </div>
    </div>
  )
}
