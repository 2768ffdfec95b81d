import { day, money } from '@operon/contracts/words'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { moment } from '../../ui/format.ts'
import { Asked, Pill } from '../../ui/Panel.tsx'
import { Papers } from '../../ui/Papers.tsx'
import { Dispute } from './Dispute.tsx'
import { Facts } from './Facts.tsx'
import { Movements } from './Movements.tsx'
import { type SaleDetail, useSale } from './queries.ts'
import { RefundForm } from './RefundForm.tsx'
import { statusTone } from './words.ts'

type Props = { id: string; onClose: () => void; refresh: () => Promise<unknown> }

/** One payment: where each part of it went, and what can be done about it. */
export function SalePanel({ id, onClose, refresh }: Props) {
  const found = useSale(id)
  const [refunding, setRefunding] = useState(false)
  const sale = found.data?.sale
  return (
    <Dialog
      open
      onClose={onClose}
      side="right"
      title={sale?.description ?? 'Payment'}
      description={sale ? `${money(sale)} from ${sale.customer}` : undefined}
    >
      <Asked query={found} skeleton="h-48" failed="This payment could not be loaded" />
      {found.data && refunding ? (
        <RefundForm
          sale={found.data.sale}
          onClose={() => setRefunding(false)}
          onDone={async () => {
            setRefunding(false)
            await refresh()
          }}
        />
      ) : null}
      {found.data && !refunding ? <Detail found={found.data} onRefund={() => setRefunding(true)} refresh={refresh} /> : null}
    </Dialog>
  )
}

function Detail({ found, onRefund, refresh }: { found: SaleDetail; onRefund: () => void; refresh: Props['refresh'] }) {
  const { sale, refunds, disputes, movements, documents = [] } = found
  const cents = (amount_cents: number) => (
    <span className="font-mono text-12 tabular">{money({ amount_cents, currency: sale.currency })}</span>
  )
  const isOpen = sale.dispute === 'open'
  const isDisputed = isOpen || sale.dispute === 'asked'
  const canRefund = sale.status === 'completed' && sale.refunded_cents < sale.amount_cents && !isOpen
  return (
    <div className="flex flex-col gap-6">
      {disputes.map((dispute) => (
        <Dispute key={dispute.dispute} sale={sale} dispute={dispute} refresh={refresh} />
      ))}
      <Facts
        facts={[
          [
            'Status',
            <Pill key="s" tone={statusTone[sale.status]}>
              {sale.status}
            </Pill>,
          ],
          ['Paid', moment(sale.date)],
          ['Customer', sale.customer],
          ['Method', sale.method],
          ['Amount', cents(sale.amount_cents)],
          ['Tax', sale.tax_cents > 0 && cents(-sale.tax_cents)],
          ['Platform fee', cents(-sale.fee_cents)],
          ['Your share', cents(sale.share_cents)],
          ['Refunded to the buyer', sale.refunded_cents > 0 && cents(sale.refunded_cents)],
          ['Held until', sale.held_until && (isDisputed ? 'the bank decides' : day(sale.held_until))],
          ['Order', <code key="o">{sale.reference}</code>],
          ['Payment ID', <code key="i">{sale.id}</code>],
        ]}
      />
      {refunds.length ? (
        <section>
          <h3 className="border-b border-line pb-2 text-13 font-semibold">Refunds</h3>
          <ul className="divide-y divide-line text-13">
            {refunds.map((refund) => (
              <li key={`${refund.at} ${refund.amount_cents}`} className="flex items-baseline justify-between gap-4 py-2">
                <span className="min-w-0 break-words">
                  {refund.reason ?? 'Refund'}
                  <span className="block text-12 text-faint">
                    {moment(refund.at)}
                    {refund.state === 'failed' ? ', came back from the bank' : ''}
                  </span>
                </span>
                {cents(refund.amount_cents)}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      {documents.length ? (
        <section>
          <h3 className="border-b border-line pb-2 text-13 font-semibold">Invoice{documents.length > 1 ? ' and credit notes' : ''}</h3>
          <Papers papers={documents} open={(document_id) => call('open-document', { document_id })} />
        </section>
      ) : null}
      <section>
        <h3 className="border-b border-line pb-2 text-13 font-semibold">What it did to your balance</h3>
        <Movements rows={movements} here={sale.id} />
      </section>
      {canRefund ? (
        <div>
          <Button onClick={onRefund}>Refund</Button>
        </div>
      ) : isOpen && sale.refunded_cents < sale.amount_cents ? (
        <p className="text-12 text-muted">It cannot be refunded while the bank decides: the buyer would get it twice.</p>
      ) : null}
    </div>
  )
}
