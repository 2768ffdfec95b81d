import { money } from '@operon/contracts/words'
import { Dialog } from '../../ui/Dialog.tsx'
import { Asked, EmptyState } from '../../ui/Panel.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import type { Address, Part } from './address.ts'
import { Movements } from './Movements.tsx'
import { useBalance, useBalanceRows } from './queries.ts'
import { partNames, partNotes } from './words.ts'

/** The rows that one part of the balance is the sum of. */
export function PartPanel({ part, address, onClose }: { part: Part; address: Address; onClose: () => void }) {
  const { currency } = address
  const rows = useBalanceRows(part, currency)
  const balance = useBalance().data?.balances.find((each) => each.currency === currency)
  const shown = rows.data?.pages.flatMap((page) => page.rows) ?? []
  return (
    <Dialog open onClose={onClose} side="right" title={partNames[part]} description={partNotes[part]}>
      {balance ? (
        <p className="mb-3 flex items-baseline justify-between gap-4 border-b border-line pb-3 text-14 font-semibold">
          Sum of all rows
          <span className="font-mono tabular">{money({ amount_cents: balance[`${part}_cents`], currency })}</span>
        </p>
      ) : null}
      <Asked query={rows} skeleton="h-28" failed="The rows could not be loaded" />
      {rows.data && shown.length === 0 ? (
        <EmptyState compact title="No rows yet">
          Every amount that enters or leaves this part of your balance is listed here.
        </EmptyState>
      ) : null}
      <Movements rows={shown} />
      <ShowMore of={rows} variant="ghost">
        Show older rows
      </ShowMore>
    </Dialog>
  )
}
