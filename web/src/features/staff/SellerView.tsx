import { day, money } from '@operon/contracts/words'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { moment } from '../../ui/format.ts'
import { Alert, EmptyState, Panel, Pill } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { EvidencePanel } from './EvidencePanel.tsx'
import { newKey, type StaffSeller } from './queries.ts'
import { ReasonPanel } from './ReasonPanel.tsx'
import { RefundPanel } from './RefundPanel.tsx'
import { StaffTable } from './StaffTable.tsx'

type Sale = StaffSeller['sales'][number]
type Doing = { kind: 'hold' | 'release' } | { kind: 'refund' | 'evidence'; sale: Sale }
const stateTone = { none: 'neutral', started: 'warn', checking: 'info', ready: 'good', needs_details: 'warn', stopped: 'bad' } as const
const payoutTone = { paid: 'good', scheduled: 'info', pending: 'warn', returned: 'bad' } as const
const saleTone = { completed: 'good', pending: 'warn', failed: 'bad' } as const
const parts = [
  ['Held', 'held_cents'],
  ['Due', 'due_cents'],
  ['Set aside', 'reserved_cents'],
  ['On its way', 'on_its_way_cents'],
  ['Owed', 'owed_cents'],
] as const

export function SellerView({ found, onChanged }: { found: StaffSeller; onChanged: () => void }) {
  const [doing, setDoing] = useState<Doing>()
  const { account, held_because } = found
  const close = () => setDoing(undefined)
  const disputeOf = ({ id }: Sale) => found.disputes?.find(({ sale_id }) => sale_id === id)
  return (
    <>
      {held_because ? (
        <Alert tone="warn" title="Payouts are held by staff">
          {held_because}
        </Alert>
      ) : null}
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-3">
        <Panel
          title={found.email ?? 'Seller'}
          badge={<Pill tone={stateTone[account.state]}>{account.state.replace('_', ' ')}</Pill>}
          actions={
            held_because === null ? (
              <Button onClick={() => setDoing({ kind: 'hold' })}>Hold payouts</Button>
            ) : (
              <Button onClick={() => setDoing({ kind: 'release' })}>Release payouts</Button>
            )
          }
          className="min-w-0"
        >
          <dl className="flex flex-col gap-2 text-13">
            {found.balances.flatMap((balance) =>
              parts.map(([name, part]) => (
                <div key={`${balance.currency} ${part}`} className="flex justify-between gap-4">
                  <dt className="text-muted">{name}</dt>
                  <dd className="font-mono text-12 tabular">{money({ amount_cents: balance[part], currency: balance.currency })}</dd>
                </div>
              )),
            )}
          </dl>
          {found.balances.length === 0 ? <p className="text-13 text-muted">Nothing sold yet.</p> : null}
          <ul className="mt-3 flex flex-col gap-1.5 border-t border-line pt-3 text-13 text-muted empty:hidden">
            {[...account.requirements.map(({ text }) => text), ...found.why.map(({ text }) => text)].map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
          <p className="mt-3 font-mono text-12 break-all text-faint">{found.user_id}</p>
        </Panel>
        <Panel title="Payouts" flush className="min-w-0 lg:col-span-2">
          {found.payouts.length === 0 ? (
            <EmptyState compact title="No payouts yet">
              What is due is sent on Fridays, from $50.
            </EmptyState>
          ) : (
            <StaffTable label="Payouts" head={['Friday', 'State', 'Amount']} wide={['Bank']}>
              {found.payouts.map((payout) => (
                <tr key={payout.id} className="align-baseline">
                  <td className="whitespace-nowrap">{day(payout.date)}</td>
                  <td>
                    <Pill tone={payoutTone[payout.status]}>{payout.status}</Pill>
                    {payout.returned_because ? <span className="mt-1 block text-12 text-muted">{payout.returned_because}</span> : null}
                  </td>
                  <td className="text-right font-mono text-12 tabular">{money(payout)}</td>
                  <td className="font-mono text-12 text-muted max-md:hidden">{payout.bank_last4 ? `•••• ${payout.bank_last4}` : ''}</td>
                </tr>
              ))}
            </StaffTable>
          )}
        </Panel>
      </div>
      <Panel title="Newest sales" flush>
        {found.sales.length === 0 ? (
          <EmptyState compact title="No sales yet">
            Payments of buyers are listed here.
          </EmptyState>
        ) : (
          <StaffTable label="Newest sales" first={['When', 'State']} head={['What', 'Amount']} actions>
            {found.sales.map((sale) => (
              <tr key={sale.id} className="align-baseline">
                <td className="whitespace-nowrap max-md:hidden">{moment(sale.date)}</td>
                <td className="max-md:hidden">
                  <SaleState sale={sale} />
                </td>
                <td className="break-words">
                  {sale.description}
                  <span className="block text-12 break-all text-faint">{sale.customer}</span>
                  <span className="block text-12 text-faint md:hidden">{moment(sale.date)}</span>
                  <span className="md:hidden">
                    <SaleState sale={sale} />
                  </span>
                </td>
                <td className="text-right font-mono text-12 tabular">{money(sale)}</td>
                <td className="text-right">
                  {isUndecided(sale) && disputeOf(sale)?.evidence_sent_at ? (
                    <Pill tone="good">evidence sent</Pill>
                  ) : isUndecided(sale) ? (
                    <Button onClick={() => setDoing({ kind: 'evidence', sale })}>
                      Evidence<span className="sr-only"> for {sale.description}</span>
                    </Button>
                  ) : sale.status === 'completed' && sale.refunded_cents < sale.amount_cents ? (
                    <Button onClick={() => setDoing({ kind: 'refund', sale })}>
                      Refund<span className="sr-only"> {sale.description}</span>
                    </Button>
                  ) : null}
                </td>
              </tr>
            ))}
          </StaffTable>
        )}
      </Panel>
      {doing?.kind === 'hold' || doing?.kind === 'release' ? (
        <HoldPanel userId={found.user_id} isHold={doing.kind === 'hold'} onClose={close} onDone={onChanged} />
      ) : null}
      {doing?.kind === 'refund' ? (
        <RefundPanel
          payment={{
            payment: doing.sale.id,
            amount_cents: doing.sale.amount_cents - doing.sale.refunded_cents,
            currency: doing.sale.currency,
            at: doing.sale.date,
          }}
          after="The seller’s share of it comes off their balance, and our fee goes back with it."
          send={(amount_cents, reason, idempotencyKey) =>
            call('staff-refund-sale', { sale_id: doing.sale.id, amount_cents, reason }, { idempotencyKey })
          }
          onClose={close}
          onDone={onChanged}
        />
      ) : null}
      {doing?.kind === 'evidence' ? (
        <EvidencePanel
          about={{ sale_id: doing.sale.id }}
          title={doing.sale.description}
          kept={disputeOf(doing.sale)?.evidence}
          onClose={close}
          onDone={onChanged}
        />
      ) : null}
    </>
  )
}

const isUndecided = ({ dispute }: Sale) => dispute === 'open' || dispute === 'asked'

type HoldProps = { userId: string; isHold: boolean; onClose: () => void; onDone: () => void }
function HoldPanel({ userId, isHold, onClose, onDone }: HoldProps) {
  async function run(reason: string) {
    const options = { idempotencyKey: newKey() }
    if (isHold) await call('staff-hold-payouts', { user_id: userId, reason }, options)
    else await call('staff-release-payouts', { user_id: userId, reason }, options)
    toast.success(isHold ? 'Payouts are held' : 'Payouts are released')
    onDone()
  }
  return (
    <ReasonPanel
      title={isHold ? 'Hold payouts' : 'Release payouts'}
      action={isHold ? 'Hold payouts' : 'Release payouts'}
      danger={isHold}
      says={
        isHold
          ? 'Nothing is paid out to this seller until staff release it. They can go on selling, and read your reason on their Payments page.'
          : 'The balance due is paid out again on the next Friday.'
      }
      onClose={onClose}
      run={run}
    />
  )
}

const SaleState = ({ sale }: { sale: Sale }) => (
  <span className="inline-flex flex-wrap gap-1">
    <Pill tone={saleTone[sale.status]}>{sale.status}</Pill>
    {sale.dispute ? <Pill tone={sale.dispute === 'won' ? 'good' : 'bad'}>dispute {sale.dispute}</Pill> : null}
    {sale.refunded_cents > 0 && sale.dispute !== 'lost' ? (
      <Pill>{money({ amount_cents: sale.refunded_cents, currency: sale.currency })} refunded</Pill>
    ) : null}
  </span>
)
