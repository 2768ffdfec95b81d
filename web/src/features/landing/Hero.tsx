import { TRIAL_DAYS } from '@operon/contracts/plans'
import { ArrowRight } from 'lucide-react'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { ButtonLink, buttonClass } from '../../ui/Button.tsx'
import { AnalystDemo } from './demos/AnalystDemo.tsx'
import { ProductFrame } from './ProductFrame.tsx'
import { Strand } from './Strand.tsx'

export function Hero() {
  return (
    <section id="home" aria-label={product.name} className="rail w-full overflow-hidden">
      <div className="grid gap-x-10 gap-y-7 px-5 pt-14 md:grid-cols-12 md:px-8 md:pt-20 lg:pt-24">
        <h1 className="text-56 font-semibold md:col-span-8">
          <span className="block text-balance">Everything your business runs on, </span>
          <span className="block text-balance">switched on together.</span>
        </h1>
        <div className="flex flex-col items-start gap-5 self-end md:col-span-4 md:pb-2">
          <p className="max-w-[44ch] text-muted">
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
      </div>
      <Strand className="relative z-10 mt-10 px-5 md:mt-16 md:px-8" />
      <div className="relative border-t border-line pt-9 md:pt-12 md:pl-8">
        <ProductFrame path={paths.analyst} className="border-t border-line md:h-[40rem] md:rounded-tl-panel md:border-l">
          <AnalystDemo />
        </ProductFrame>
      </div>
    </section>
  )
}
