import { cx } from '../../ui/cx.ts'
import { Pill } from '../../ui/Panel.tsx'
import { moveBetweenRows } from './rows.ts'
import { shortDay, statusTone } from './words.ts'

type Row = {
  id: string
  customer: string
  description: string
  amount: string
  status: 'completed' | 'pending' | 'failed'
  method: string
  date: string
  amount_cents: number
  refunded_cents?: number
  dispute?: 'asked' | 'open' | 'won' | 'lost' | null
}

/** The payments of buyers. On a phone a row says who and when below what. */
export function PaymentsTable({ rows, open }: { rows: Row[]; open?: (id: string) => void }) {
  const wide = 'max-md:hidden'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className="relative overflow-x-auto" aria-label="Transactions" tabIndex={0}>
      <table className="w-full text-left text-13" onKeyDown={moveBetweenRows}>
        <thead>
          <tr className="border-b border-line text-12 text-faint [&>th]:px-4 [&>th]:py-2 [&>th]:font-medium [&>th]:whitespace-nowrap">
            <th scope="col" className={wide}>
              Date
            </th>
            <th scope="col">Description</th>
            <th scope="col" className={wide}>
              Customer
            </th>
            <th scope="col" className="max-lg:hidden">
              Method
            </th>
            <th scope="col" className="max-xl:hidden">
              ID
            </th>
            <th scope="col" className={wide}>
              Status
            </th>
            <th scope="col" className="text-right">
              Amount
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line [&_td]:px-4 [&_td]:py-2.5">
          {rows.map((row) => (
            <tr key={row.id} className={cx('align-baseline', open && 'cursor-pointer hover:bg-raised')} onClick={() => open?.(row.id)}>
              <td className={cx(wide, 'whitespace-nowrap text-muted')}>{shortDay(row.date)}</td>
              <td className="min-w-0 break-words">
                {open ? (
                  <button type="button" data-row className="text-left font-medium max-md:min-h-6" onClick={() => open(row.id)}>
                    {row.description}
                  </button>
                ) : (
                  <span className="font-medium">{row.description}</span>
                )}
                <span className="block text-12 break-all text-faint md:hidden">{row.customer}</span>
                <span className="block text-12 text-faint md:hidden">
                  {shortDay(row.date)}, <span className="whitespace-nowrap">{row.method}</span>
                </span>
              </td>
              <td className={cx(wide, 'max-w-56 truncate')}>{row.customer}</td>
              <td className="whitespace-nowrap text-muted max-lg:hidden">{row.method}</td>
              <td className="font-mono text-12 text-muted max-xl:hidden" title={row.id}>
                {row.id.slice(-8)}
              </td>
              <td className={wide}>
                <States row={row} />
              </td>
              <td className="text-right">
                <span className="font-mono text-12 tabular">{row.amount}</span>
                <span className="mt-1 flex justify-end md:hidden">
                  <States row={row} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function States({ row: { status, amount_cents, refunded_cents = 0, dispute } }: { row: Row }) {
  return (
    <span className="inline-flex flex-wrap gap-1 max-md:justify-end">
      <Pill tone={statusTone[status]}>{status}</Pill>
      {dispute === 'lost' ? (
        <Pill tone="bad">dispute lost</Pill>
      ) : refunded_cents > 0 ? (
        <Pill>{refunded_cents < amount_cents ? 'partly refunded' : 'refunded'}</Pill>
      ) : null}
      {dispute === 'asked' || dispute === 'open' ? <Pill tone="bad">disputed</Pill> : null}
      {dispute === 'won' ? <Pill tone="good">dispute won</Pill> : null}
    </span>
  )
}
