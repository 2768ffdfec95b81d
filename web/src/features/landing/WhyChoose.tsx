import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApprovalView } from '../../chat/ApprovalView.tsx'
import { badges, figures, shownValue, unverifiedNote } from '../../content/claims.ts'
import { product } from '../../content/product.ts'
import { proposals } from '../../content/showcase.ts'
import { GeneMeter } from '../../ui/Data.tsx'
import { Alert } from '../../ui/Panel.tsx'
import { Marketplace } from './Marketplace.tsx'

const exported = `{
  "user": { "name": "Mara", … },
  "sessions": [ … ],
  "services": {
    "billing": { … },
    "ai-gateway": { … }
  }
}`

const untouched = { onApprove() {}, onDismiss() {}, onUndo() {}, onEdit: async () => false }
export function WhyChoose() {
  const shown = figures.filter((figure) => figure.shown)
  const unverified = [...figures, ...badges].some((claim) => claim.shown && !claim.verified)
  return (
    <section id="resources" className="after-paint border-t border-line bg-panel">
      <div className="rail">
        <h2 className="px-5 pt-16 pb-12 text-40 font-semibold md:px-8 md:pt-24 md:pb-14">Why choose {product.name}</h2>
        <div className="grid grid-cols-1 border-t border-line lg:grid-cols-12 lg:grid-rows-[1fr_auto]">
          <Reason
            className="lg:col-span-5"
            title="It asks before it acts"
            text="The assistant prepares the work. You see what it will do and what it costs, then approve it."
          >
            <div className="rounded-panel bg-panel shadow-float">
              <ApprovalView approval={proposals.research} {...untouched} />
            </div>
          </Reason>
          <Reason
            className="lg:col-span-4"
            title="One bill, one limit to watch"
            text="Every plan lists its limits in numbers. We notify you at 80 percent, before you run out."
          >
            <div className="flex flex-col gap-5">
              <GeneMeter label="AI prompts" used={642} limit={1000} />
              <GeneMeter label="Emails" used={2610} limit={3000} />
              <Alert tone="warn" title="80% of this month's emails are used">
                390 are left until December 1.
              </Alert>
            </div>
          </Reason>
          <Reason
            className="lg:col-span-3"
            title="Your data leaves with you"
            text="Export all of it from the settings whenever you like. Deleting the account deletes it."
          >
            <div className="overflow-hidden rounded-panel bg-panel shadow-float hairline">
              <p className="flex items-center justify-between gap-3 border-b border-line px-4 py-2.5 text-13">
                <span className="truncate font-medium">account.json</span>
                <Download className="size-4 text-muted" />
              </p>
              <pre className="overflow-hidden px-4 py-3 font-mono text-12 leading-5 text-muted">{exported}</pre>
            </div>
          </Reason>
        </div>

        {shown.length ? (
          <dl className="grid grid-cols-2 overflow-hidden border-t border-line sm:grid-cols-4 lg:grid-cols-7">
            {shown.map((figure) => (
              <div
                key={figure.label}
                className="-mt-px -ml-px flex flex-col-reverse border-t border-l border-line px-5 py-5 max-sm:last:odd:col-span-2 sm:max-lg:last:col-span-2 md:px-8 md:py-7"
              >
                <dt className="text-13 text-muted">{figure.label}</dt>
                <dd className="text-28 font-semibold">{shownValue(figure)}</dd>
              </div>
            ))}
          </dl>
        ) : null}
        <div className="flex flex-wrap items-center gap-x-8 gap-y-2 border-t border-line px-5 py-5 text-13 text-faint md:px-8">
          {badges
            .filter((badge) => badge.shown)
            .map((badge) => (
              <span key={badge.value}>
                <span className="font-medium text-text">{badge.value}</span> {badge.label}
              </span>
            ))}
          {unverified ? <span className="md:ml-auto">{unverifiedNote}</span> : null}
        </div>
        <Marketplace />
      </div>
    </section>
  )
}

/** A reason, and the part of the product that keeps it. */
function Reason({ title, text, children, className }: { title: string; text: string; children: ReactNode; className?: string }) {
  return (
    <article
      className={`flex min-w-0 flex-col border-line max-lg:not-first:border-t lg:row-span-2 lg:grid lg:grid-cols-1 lg:grid-rows-subgrid lg:not-first:border-l ${className}`}
    >
      <div className="flex flex-1 lg:min-h-72 flex-col justify-center bg-page px-5 py-10 md:px-8" inert>
        {children}
      </div>
      <div className="border-t border-line px-5 py-6 md:px-8">
        <h3 className="text-16 font-semibold">{title}</h3>
        <p className="mt-1 max-w-[46ch] text-14 text-muted">{text}</p>
      </div>
    </article>
  )
}
