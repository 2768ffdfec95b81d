import { day, money } from '@operon/contracts/words'
import { Dialog } from '../../ui/Dialog.tsx'
import { Asked, EmptyState, Pill } from '../../ui/Panel.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import type { Address } from './address.ts'
import { Facts } from './Facts.tsx'
import { Movements } from './Movements.tsx'
import { usePayoutLines } from './queries.ts'
import { payoutTone, shortDay } from './words.ts'

/** One payout, or the next: what it is made of, line by line, and why it is what it is. */
export function PayoutPanel({ id, address, onClose }: { id: string; address: Address; onClose: () => void }) {
  const lines = usePayoutLines(id, address.currency)
  const first = lines.data?.pages[0]
  const rows = lines.data?.pages.flatMap((page) => page.lines) ?? []
  const status = first?.payout?.status ?? 'scheduled'
  return (
    <Dialog
      open
      onClose={onClose}
      side="right"
      title={first ? `Payout of ${money(first)}` : 'Payout'}
      description={first ? `Friday, ${day(first.date)}` : undefined}
    >
      <Asked query={lines} skeleton="h-40" failed="This payout could not be loaded" />
      {first ? (
        <div className="flex flex-col gap-5">
          <ul className="flex flex-col gap-1.5 text-13">
            {first.why.map(({ text }) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
          <Facts
            facts={[
              [
                'Status',
                <Pill key="s" tone={payoutTone[status]}>
                  {status}
                </Pill>,
              ],
              ['Bank account', first.payout?.bank_last4 && `•••• ${first.payout.bank_last4}`],
              ['Expected', !first.payout?.paid_at && first.payout?.arrives_at && shortDay(first.payout.arrives_at)],
              ['Arrived', first.payout?.paid_at && shortDay(first.payout.paid_at)],
              ['ID', first.payout && <code key="i">{first.payout.id}</code>],
            ]}
          />
          <section>
            <h3 className="border-b border-line pb-2 text-13 font-semibold">What it is made of</h3>
            {rows.length ? (
              <Movements rows={rows} here={id} />
            ) : (
              <EmptyState compact title="Nothing is in it yet">
                Your share of a sale enters once its hold is over.
              </EmptyState>
            )}
            <ShowMore of={lines} variant="ghost">
              Show more lines
            </ShowMore>
          </section>
        </div>
      ) : null}
    </Dialog>
  )
}
