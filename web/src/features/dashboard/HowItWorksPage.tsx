import { Check } from 'lucide-react'
import { Link } from 'react-router-dom'
import { usePlatform } from '../../api/platform.ts'
import { useSession } from '../../api/session.ts'
import { payoutTerms, sellerShare } from '../../content/claims.ts'
import { cx } from '../../ui/cx.ts'
import { Kbd } from '../../ui/Data.tsx'
import { ErrorState, PageHeader, Panel, Skeleton } from '../../ui/Panel.tsx'
import { type Step, useSteps } from './steps.ts'

const lengths = [5, 3, 4, 2, 4, 3, 2, 5]

/** The seller's guide. */
export function HowItWorksPage() {
  const { user } = useSession()
  const { steps, loading, failed, retry } = useSteps(user!.id)
  const done = steps.filter((step) => step.done).length
  return (
    <>
      <PageHeader title="How It Works" description="From a new account to the first sale. Each step is checked off as you finish it." />
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-3">
        {failed ? (
          <Panel flush className="xl:col-span-2">
            <ErrorState title="Your progress could not be read" error={failed.error} retry={retry} />
          </Panel>
        ) : (
          <Panel title={loading ? 'Your progress' : `${done} of ${steps.length} done`} flush className="xl:col-span-2">
            <div aria-hidden="true" className="flex gap-1 px-4 pt-4">
              {steps.map((step, index) => (
                <span
                  key={step.title}
                  className={cx('h-1.5 rounded-full', !loading && step.done ? 'bg-signal-text' : 'bg-raised')}
                  style={{ flexGrow: lengths[index] }}
                />
              ))}
            </div>
            <ol className="divide-y divide-line pt-2">
              {steps.map((step, index) => (
                <Row key={step.title} step={step} number={index + 1} loading={loading} />
              ))}
            </ol>
          </Panel>
        )}
        <div className="flex flex-col gap-6 md:max-xl:grid md:max-xl:grid-cols-2">
          <Panel title="What you keep from a sale">
            <div aria-hidden="true" className="flex gap-1">
              <span className="h-5 rounded-full bg-signal" style={{ flexGrow: sellerShare }} />
              <span className="h-5 rounded-full bg-raised hairline" style={{ flexGrow: 100 - sellerShare }} />
            </div>
            <p className="mt-3 text-13 text-muted">
              You keep <span className="font-semibold text-text">{sellerShare}%</span> of each sale. {payoutTerms}
            </p>
          </Panel>
          <Shortcuts />
        </div>
      </div>
    </>
  )
}

function Row({ step, number, loading }: { step: Step; number: number; loading: boolean }) {
  const done = step.done && !loading
  return (
    <li className="flex gap-4 px-4 py-4">
      <span
        className={cx(
          'grid size-6 shrink-0 place-items-center rounded-full font-mono text-12',
          done ? 'bg-signal text-ink' : 'text-muted hairline',
        )}
      >
        {done ? <Check className="size-3.5" /> : number}
        <span className="sr-only">{done ? 'Done' : 'To do'}</span>
      </span>
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-6 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="text-14 font-semibold">{step.title}</h3>
          {loading ? <Skeleton className="mt-1.5 h-4 w-64" /> : <p className="mt-0.5 max-w-[60ch] text-13 text-muted">{step.text}</p>}
        </div>
        <Link
          to={step.to}
          className="text-13 whitespace-nowrap text-muted underline decoration-control underline-offset-4 hover:text-text max-md:py-2"
        >
          {step.action}
        </Link>
      </div>
    </li>
  )
}

function Shortcuts() {
  const { product_name } = usePlatform()
  const rows = [
    ['Find a page or an action', 'Ctrl K'],
    ['Collapse or expand the sidebar', 'Ctrl B'],
    [`Send what you wrote to ${product_name}`, 'Enter'],
    ['Close the open window', 'Esc'],
  ] as const
  return (
    <Panel title="Shortcuts" flush className="max-md:hidden">
      <dl className="divide-y divide-line">
        {rows.map(([what, keys]) => (
          <div key={what} className="flex items-center justify-between gap-4 px-4 py-2.5 text-13">
            <dt className="text-muted">{what}</dt>
            <dd>
              <Kbd>{keys}</Kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
