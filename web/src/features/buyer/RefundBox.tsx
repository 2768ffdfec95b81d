import { REFUND_ANSWER_DAYS, type RefundReason, refundReasons } from '@operon/contracts/marketplace/refund-rules'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Options, SelectField, TextArea } from '../../ui/Field.tsx'
import { day, moment, money } from '../../ui/format.ts'
import { Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { keyOf, type Order, type OrderRef, useOrderCall } from './queries.ts'

/** Asking for the money back, and what became of it. */
export function RefundBox({ order, of: ref }: { order: Order; of: OrderRef }) {
  const [open, setOpen] = useState(false)
  const { refund, refundable_until } = order
  if (!refund && !refundable_until) return null
  return (
    <section className="border-t border-line px-5 py-7 md:px-8 lg:px-6">
      <h2 className="flex items-center gap-2 text-16 font-semibold">
        Refund
        {refund ? <Standing state={refund.state} /> : null}
      </h2>
      {refund ? (
        <>
          <p className="mt-1 text-13 text-muted">{saidOf(refund, order.seller.name)}</p>
          {refund.answer ? (
            <blockquote className="mt-3 border-l-2 border-line pl-3 text-13 whitespace-pre-line">{refund.answer}</blockquote>
          ) : null}
        </>
      ) : (
        <>
          <p className="mt-1 mb-3 text-13 text-muted">
            Until {day(refundable_until!)} you can ask for your money back. The seller has {REFUND_ANSWER_DAYS} days to answer; after that
            you are refunded.
          </p>
          <Button size="public" onClick={() => setOpen(true)}>
            Request a refund
          </Button>
          <Ask order={order} of={ref} open={open} onClose={() => setOpen(false)} />
        </>
      )}
    </section>
  )
}

type Refund = NonNullable<Order['refund']>
function Standing({ state }: Pick<Refund, 'state'>) {
  if (state === 'open') return <Pill tone="info">Waiting for the seller</Pill>
  if (state === 'declined') return <Pill tone="bad">Declined</Pill>
  return <Pill tone="good">{state === 'refunded' ? 'Refunded' : 'Accepted'}</Pill>
}
function saidOf({ state, due_at, amount_cents, currency, decided_by }: Refund, seller: string) {
  if (state === 'open')
    return `${seller} has until ${moment(due_at)} to answer. Without an answer you get ${money(amount_cents, currency)} back.`
  if (state === 'declined') return `${seller} declined. You keep your purchase.`
  if (state === 'accepted')
    return `${decided_by === 'rule' ? 'Your refund was accepted automatically' : `${seller} accepted your refund`}. ${money(amount_cents, currency)} is on its way to the card that paid.`
  return 'The money went back to the card that paid. Banks take a few days to show it.'
}

function Ask({ order, of: ref, open, onClose }: { order: Order; of: OrderRef; open: boolean; onClose: () => void }) {
  const ask = useOrderCall()
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    setBusy(true)
    await attempt('The request was not sent', async () => {
      await ask('request-refund', { ...ref, reason: String(fields.get('reason')) as RefundReason, text: String(fields.get('text')) })
      await queries.invalidateQueries({ queryKey: ['show-order', keyOf(ref)] })
      toast.success('Your request was sent', `${order.seller.name} has ${REFUND_ANSWER_DAYS} days to answer.`)
      onClose()
    })
    setBusy(false)
  }
  return (
    <Dialog open={open} onClose={onClose} title={`Request a refund of ${money(order.amount_cents, order.currency)}`}>
      <form onSubmit={send} className="flex flex-col gap-4 pt-1">
        <SelectField label="Reason" name="reason" defaultValue="not_working">
          <Options of={Object.entries(refundReasons)} />
        </SelectField>
        <TextArea label="What happened" name="text" maxLength={2000} hint="The seller reads this. It helps them to answer sooner." />
        <p className="text-12 text-faint">A refund ends your downloads. Your review stays and says that the order was refunded.</p>
        <Button type="submit" variant="primary" size="public" busy={busy} className="self-start">
          Send the request
        </Button>
      </form>
    </Dialog>
  )
}
