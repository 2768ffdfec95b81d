import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type { Role } from '../../api/roles.ts'
import { product } from '../../content/product.ts'
import { sampleActivity, sampleItems, sampleStats } from '../../content/samples.ts'
import { paths } from '../../paths.ts'
import { OfflineLine } from '../../shell/OfflineLine.tsx'
import { SandboxRibbon } from '../../shell/SandboxRibbon.tsx'
import { ThemeToggle } from '../../shell/ThemeToggle.tsx'
import { ActivityList, Stat } from '../../ui/Data.tsx'
import { money } from '../../ui/format.ts'
import { type Gene, GeneRow, Wordmark } from '../../ui/Mark.tsx'
import { Pill, SamplePill } from '../../ui/Panel.tsx'

/** The form at the left, what the person comes for at the right. */
export function PortalFrame({ children, role }: { children: ReactNode; role?: Role }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <OfflineLine className="sticky top-0 z-30" />
      <div className="grid flex-1 grid-cols-1 lg:grid-cols-[minmax(0,34rem)_1fr]">
        <div className="flex flex-col px-5 pb-10 md:px-12">
          <header className="flex h-16 items-center justify-between">
            <Link to={paths.home} aria-label={`${product.name}, home`} className="-ml-1 rounded-control p-1">
              <Wordmark name={product.name} />
            </Link>
            <ThemeToggle />
          </header>
          <main tabIndex={-1} className="flex flex-1 flex-col py-6 lg:justify-center">
            <div className="w-full max-w-[25rem] self-center lg:self-start">{children}</div>
          </main>
        </div>
        <aside
          aria-label="What it is for"
          className="sticky top-0 hidden h-dvh max-h-[calc(100dvh-1.75rem)] flex-col overflow-hidden border-l border-line bg-panel lg:flex"
        >
          {role === 'buyer' ? <ForBuyers /> : <ForSellers />}
        </aside>
      </div>
      <SandboxRibbon floating />
    </div>
  )
}

function ForSellers() {
  return (
    <Aside
      genes={[{ width: 74 }, { width: 34 }, { width: 56 }]}
      title="New leads, finished work, and anything waiting for your approval."
      lines={[
        'Ask four models, keep the best answer',
        'Write articles, ads, emails and business names',
        'Nothing is spent or sent before you approve it',
      ]}
    >
      <div className="grid grid-cols-4 gap-px border-b border-line bg-line">
        {sampleStats.map((stat) => (
          <Stat key={stat.label} {...stat} />
        ))}
      </div>
      <ActivityList entries={sampleActivity} />
    </Aside>
  )
}

function ForBuyers() {
  return (
    <Aside
      genes={[{ width: 48 }, { width: 74 }, { width: 34 }]}
      title="One account for every storefront."
      lines={['Browse without an account', 'Orders, downloads and receipts in one place', 'No subscription']}
    >
      <ul className="grid grid-cols-2">
        {sampleItems.map((item) => (
          <li key={item.title} className="border-line px-5 py-4 not-last:border-r">
            <Pill>{item.category}</Pill>
            <p className="mt-3 font-semibold">{item.title}</p>
            <p className="mt-1 line-clamp-2 text-13 text-muted">{item.description}</p>
            <p className="mt-3 text-20 font-semibold tabular">{money(item.priceCents)}</p>
          </li>
        ))}
      </ul>
    </Aside>
  )
}

type AsideProps = { genes: Gene[]; title: string; lines: string[]; children: ReactNode }

/** The promise above, a piece of the product below, cut by the edge like the screen on the landing page. */
function Aside({ genes, title, lines, children }: AsideProps) {
  return (
    <>
      <div className="flex flex-1 flex-col justify-center px-12 py-10 xl:px-16">
        <GeneRow genes={genes} className="h-20 self-start [&_.fill-page]:fill-panel" />
        <p className="mt-8 max-w-[24ch] text-28 font-semibold text-balance">{title}</p>
        <ul className="mt-6 flex max-w-md flex-col">
          {lines.map((line) => (
            <li key={line} className="flex gap-3 border-t border-line py-3 text-muted">
              <span aria-hidden="true" className="mt-[0.5rem] h-1.5 w-3 shrink-0 rounded-full bg-signal-text" />
              {line}
            </li>
          ))}
        </ul>
      </div>
      <div className="ml-12 shrink-0 overflow-hidden rounded-tl-panel border-t border-l border-line bg-page xl:ml-16" inert>
        <p className="flex items-center gap-2 border-b border-line bg-panel px-5 py-2">
          <SamplePill />
        </p>
        {children}
      </div>
    </>
  )
}
