import { money } from '@operon/contracts/words'
import { Link } from 'react-router-dom'
import { paths } from '../../paths.ts'
import { moment } from '../../ui/format.ts'
import type { Movement } from './queries.ts'

/** Movements of the seller's money. Each leads to the sale or the payout that it belongs to. */
export function Movements({ rows, here }: { rows: Movement[]; here?: string }) {
  return (
    <ol className="divide-y divide-line text-13">
      {rows.map((row) => (
        <li key={`${row.id} ${row.amount_cents}`} className="flex items-baseline justify-between gap-4 py-2">
          <span className="min-w-0 break-words">
            <Leading row={row} here={here} />
            <span className="block text-12 text-faint">{moment(row.at)}</span>
          </span>
          <span className="shrink-0 font-mono text-12 tabular">{money(row)}</span>
        </li>
      ))}
    </ol>
  )
}

function Leading({ row: { description, sale_id, payout_id }, here }: { row: Movement; here?: string }) {
  const to = sale_id && sale_id !== here ? `sale=${sale_id}` : payout_id && payout_id !== here ? `tab=payouts&payout=${payout_id}` : null
  if (!to) return description
  return (
    <Link to={`${paths.payments}?${to}`} className="underline decoration-control underline-offset-4 hover:decoration-text">
      {description}
    </Link>
  )
}
