import { day, money } from '@operon/contracts/words'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { sampleBalance, sampleNext } from '../../content/samplePayments.ts'
import { cx } from '../../ui/cx.ts'
import { Panel, SamplePill } from '../../ui/Panel.tsx'
import { type Address, type Part, parts } from './address.ts'
import type { SellerBalance, Why } from './queries.ts'
import { partNames, partNotes } from './words.ts'

type Cents = Record<`${Part}_cents`, number>

/** The seller's money by state, and Friday's payout. Each figure opens the rows that it is the sum of. */
export function Balances({ balance, address }: { balance: SellerBalance; address: Address }) {
  const none = { currency: 'usd', held_cents: 0, due_cents: 0, reserved_cents: 0, on_its_way_cents: 0, owed_cents: 0 }
  const shown = balance.balances.length ? balance.balances : [none]
  return shown.map((each) => {
    const next = balance.next.find(({ currency }) => currency === each.currency)
    const open = (part: Part) => address.change({ part, currency: each.currency === 'usd' ? undefined : each.currency })
    return (
      <section key={each.currency} aria-label={`Balance in ${each.currency.toUpperCase()}`} className="flex flex-col gap-4">
        <Figures cents={each} currency={each.currency} open={open} />
        {next ? (
          <NextFriday amount_cents={next.amount_cents} currency={next.currency} date={next.date}>
            {next.why.map((why) => (
              <Reason key={`${why.code} ${why.text}`} why={why} open={open} />
            ))}
          </NextFriday>
        ) : null}
      </section>
    )
  })
}

export function SampleBalance() {
  return (
    <section aria-label="Sample balance" className="flex flex-col gap-4">
      <Figures cents={sampleBalance} currency="usd" />
      <NextFriday amount_cents={sampleNext.amount_cents} currency="usd" date={sampleNext.date} badge={<SamplePill />}>
        {sampleNext.why.map((text) => (
          <li key={text} className="px-4 py-2 text-muted">
            {text}
          </li>
        ))}
      </NextFriday>
    </section>
  )
}

function Figures({ cents, currency, open }: { cents: Cents; currency: string; open?: (part: Part) => void }) {
  // A part that is seldom there takes no place while it is empty.
  const shown = parts.filter((part) => part !== 'reserved' || cents.reserved_cents > 0)
  const cell = 'flex min-w-0 flex-col items-start gap-1 bg-panel px-4 py-3.5 text-left'
  return (
    <div
      className={cx(
        'grid grid-cols-2 gap-px overflow-hidden rounded-panel bg-line hairline',
        shown.length === 5 ? 'lg:grid-cols-5 [&>:last-child]:max-lg:col-span-2' : 'lg:grid-cols-4',
      )}
    >
      {shown.map((part) => {
        const amount = cents[`${part}_cents`]
        const content = (
          <>
            <span className="text-13 text-muted">{partNames[part]}</span>
            <span
              className={cx('max-w-full text-20 font-semibold break-all tabular sm:text-28', part === 'owed' && amount > 0 && 'text-bad')}
            >
              {money({ amount_cents: amount, currency })}
            </span>
            <span className="text-12 text-muted">{partNotes[part]}</span>
          </>
        )
        return open ? (
          <button key={part} type="button" className={cx(cell, 'outline-offset-[-3px] hover:bg-raised')} onClick={() => open(part)}>
            {content}
          </button>
        ) : (
          <div key={part} className={cell}>
            {content}
          </div>
        )
      })}
    </div>
  )
}

type Next = { amount_cents: number; currency: string; date: string; badge?: ReactNode; children: ReactNode }
function NextFriday({ amount_cents, currency, date, badge, children }: Next) {
  return (
    <Panel
      flush
      title={
        <>
          Next payout, Friday, {day(date)} {badge}
        </>
      }
      actions={<span className="font-mono text-14 font-semibold tabular">{money({ amount_cents, currency })}</span>}
    >
      <ul className="divide-y divide-line text-13">{children}</ul>
    </Panel>
  )
}

/** Says why, and leads to the rows. */
function Reason({ why, open }: { why: Why; open: (part: Part) => void }) {
  const { rows } = why
  if (!rows) return <li className="px-4 py-2.5">{why.text}</li>
  return (
    <li>
      <button
        type="button"
        onClick={() => open(rows)}
        className="flex min-h-10 w-full items-center justify-between gap-3 px-4 py-2 text-left outline-offset-[-2px] hover:bg-raised max-md:min-h-11"
      >
        {why.text}
        <span className="sr-only">See the rows</span>
        <ChevronRight aria-hidden="true" className="size-4 text-faint" />
      </button>
    </li>
  )
}
