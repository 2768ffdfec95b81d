import { day, money } from '@operon/contracts/words'
import { useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { TextArea } from '../../ui/Field.tsx'
import { Alert, Asked } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import type { Sale, SaleDetail } from './queries.ts'
import { disputeReason } from './words.ts'

type Props = { sale: Sale; dispute: SaleDetail['disputes'][number]; refresh: () => Promise<unknown> }

/** The bank's question, and the seller's answer. */
export function Dispute({ sale, dispute, refresh }: Props) {
  const amount = money({ amount_cents: dispute.amount_cents, currency: sale.currency })
  if (dispute.state === 'won')
    return (
      <Alert tone="good" title="You won this dispute">
        {amount} is back, and your share with it.
      </Alert>
    )
  if (dispute.state === 'lost')
    return (
      <Alert tone="bad" title="The bank decided for the buyer">
        {amount} went back to them. Your share of it came off your balance.
      </Alert>
    )
  return (
    <section className="flex flex-col gap-3">
      <Alert
        tone="warn"
        title={dispute.state === 'asked' ? `The buyer’s bank asks about ${amount}` : `The buyer’s bank disputes ${amount}`}
      >
        {disputeReason(dispute.reason)}{' '}
        {dispute.evidence_sent_at
          ? `Your evidence was sent on ${day(dispute.evidence_sent_at)}. The bank decides, which can take two to three months.`
          : dispute.evidence_due_at
            ? `Answer by ${day(dispute.evidence_due_at)}. Without an answer the buyer wins.`
            : 'Answer soon. Without an answer the buyer wins.'}
      </Alert>
      {dispute.evidence_sent_at ? (
        <blockquote className="border-l-2 border-line pl-3 text-13 break-words whitespace-pre-wrap text-muted">
          {dispute.evidence}
        </blockquote>
      ) : (
        <EvidenceForm sale={sale} kept={dispute.evidence ?? ''} refresh={refresh} />
      )}
    </section>
  )
}

function EvidenceForm({ sale, kept, refresh }: { sale: Sale; kept: string; refresh: Props['refresh'] }) {
  const [text, setText] = useState(kept)
  const [busy, setBusy] = useState(false)
  const [asks, setAsks] = useState(false)
  const isLong = text.trim().length >= 10

  async function submit(send: boolean) {
    setBusy(true)
    await attempt(send ? 'The evidence was not sent' : 'The evidence was not saved', async () => {
      await call('submit-evidence', { sale_id: sale.id, text: text.trim(), send }, { idempotencyKey: crypto.randomUUID() })
      toast.success(send ? 'Your evidence was sent to the bank' : 'Draft saved')
      await refresh()
    })
    setBusy(false)
  }

  return (
    <>
      <TextArea
        label="Your evidence"
        hint="Your side, in your own words. The bank gets the records below as well."
        rows={6}
        maxLength={10_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <OnRecord sale={sale} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button disabled={!isLong || busy || text.trim() === kept} onClick={() => submit(false)}>
          Save draft
        </Button>
        <Button variant="primary" busy={busy} disabled={!isLong} onClick={() => setAsks(true)}>
          Send to the bank
        </Button>
      </div>
      <Confirm
        open={asks}
        onClose={() => setAsks(false)}
        title="Send this evidence?"
        action="Send it"
        keep="Keep writing"
        onConfirm={() => submit(true)}
      >
        The bank takes one answer. It cannot be changed afterwards.
      </Confirm>
    </>
  )
}

/** The order, its downloads and its messages, as the bank will read them. */
function OnRecord({ sale }: { sale: Sale }) {
  const found = useCall('dispute-evidence', { sale_id: sale.id }, { key: ['payments', 'evidence', sale.id] })
  return (
    <details className="rounded-panel p-3 text-13 hairline">
      <summary className="cursor-pointer font-medium">Added for you</summary>
      <Asked query={found} skeleton="mt-3 h-16" failed="The records of the order could not be loaded" />
      {found.data?.parts.map(({ title, lines }) => (
        <section key={title} className="mt-3">
          <h4 className="text-12 font-semibold">{title}</h4>
          <ul className="mt-1 flex flex-col gap-1 break-words text-muted">
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
      ))}
    </details>
  )
}
