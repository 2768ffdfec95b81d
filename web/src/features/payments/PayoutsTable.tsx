import { day, money } from '@operon/contracts/words'
import { cx } from '../../ui/cx.ts'
import { Pill } from '../../ui/Panel.tsx'
import { moveBetweenRows } from './rows.ts'
import { payoutTone } from './words.ts'

type Row = {
  id: string
  date: string
  status: keyof typeof payoutTone
  amount_cents: number
  currency: string
  bank_last4: string | null
  returned_because: string | null
}

export function PayoutsTable({ rows, open }: { rows: Row[]; open?: (row: Row) => void }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className="relative overflow-x-auto" aria-label="Payouts" tabIndex={0}>
      <table className="w-full text-left text-13" onKeyDown={moveBetweenRows}>
        <thead>
          <tr className="border-b border-line text-12 text-faint [&>th]:px-4 [&>th]:py-2 [&>th]:font-medium">
            <th scope="col">Friday</th>
            <th scope="col">Status</th>
            <th scope="col" className="max-md:hidden">
              Bank account
            </th>
            <th scope="col" className="text-right">
              Amount
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line [&_td]:px-4 [&_td]:py-2.5">
          {rows.map((row) => (
            <tr
              key={`${row.id} ${row.currency}`}
              className={cx('align-baseline', open && 'cursor-pointer hover:bg-raised')}
              onClick={() => open?.(row)}
            >
              <td className="whitespace-nowrap">
                {open ? (
                  <button type="button" data-row className="font-medium max-md:min-h-6" onClick={() => open(row)}>
                    {day(row.date)}
                  </button>
                ) : (
                  <span className="font-medium">{day(row.date)}</span>
                )}
              </td>
              <td>
                <Pill tone={payoutTone[row.status]}>{row.status}</Pill>
                {row.returned_because ? <span className="mt-1 block text-12 text-muted">{row.returned_because}</span> : null}
              </td>
              <td className="font-mono text-12 text-muted max-md:hidden">{row.bank_last4 ? `•••• ${row.bank_last4}` : null}</td>
              <td className="text-right font-mono text-12 tabular">{money(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
