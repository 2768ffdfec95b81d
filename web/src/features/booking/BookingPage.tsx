import type { CallReply } from '@operon/contracts/calls'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CalendarPlus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useParams, useSearchParams } from 'react-router-dom'
import { callPublic } from '../../api/call.ts'
import { ApiError } from '../../api/http.ts'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { PublicMessage } from '../../shell/PublicMessage.tsx'
import { Button, ButtonLink, buttonClass } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { TextArea } from '../../ui/Field.tsx'
import { money } from '../../ui/format.ts'
import { EmptyRow } from '../../ui/Mark.tsx'
import { Asked, Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { clockIn, dateIn, zoneName } from '../../ui/zones.ts'
import { SlotPicker } from './SlotPicker.tsx'

type Held = CallReply<'show-booking'>
const isHeld = ({ payment }: Held) => Boolean(payment?.hold_until) && payment?.state === 'open'
const words = {
  pending: ['warn', 'Waiting for approval'],
  confirmed: ['good', 'Confirmed'],
  declined: ['bad', 'Declined'],
  cancelled: ['bad', 'Cancelled'],
  no_show: ['neutral', 'Over'],
} as const

/** A booking as its guest sees it, by the link of their email. Opening it changes nothing. */
export function BookingPage() {
  const { token = '' } = useParams()
  const [search] = useSearchParams()
  const booking = useQuery({
    queryKey: ['booking', token],
    queryFn: ({ signal }) => callPublic('show-booking', { token }, { signal }),
    retry: (count, error) => !(error instanceof ApiError && error.status === 404) && count < 2,
    // Back from the payment page, before the news of the payment.
    refetchInterval: ({ state: { data } }) => (search.has('paid') && data && isHeld(data) ? 2000 : false),
  })
  useEffect(() => {
    document.title = `Your booking · ${product.name}`
  }, [])
  if (booking.error instanceof ApiError && booking.error.status === 404)
    return (
      <PublicMessage art={<EmptyRow />} title="This link does not work">
        <p>Use the link in the latest email about your booking, or ask the person you booked with.</p>
      </PublicMessage>
    )
  return (
    <PublicLayout footer={false}>
      <div className="rail flex w-full flex-1 flex-col gap-6 px-5 py-8 md:px-8 md:py-12">
        <Asked query={booking} skeleton="h-80" failed="Your booking could not be loaded" />
        {booking.data && isHeld(booking.data) ? <Unpaid held={booking.data} token={token} isPaying={search.has('paid')} /> : null}
        {booking.data && !isHeld(booking.data) ? <Shown held={booking.data} token={token} /> : null}
      </div>
    </PublicLayout>
  )
}

function Shown({ held, token }: { held: Held; token: string }) {
  const queries = useQueryClient()
  const [search] = useSearchParams()
  const [zone, setZone] = useState(held.guest_zone)
  const [moving, setMoving] = useState(false)
  const [cancelling, setCancelling] = useState(false)
  const [reason, setReason] = useState('')
  const [tone, state] = words[held.state]
  const keep = (next: Held) => queries.setQueryData(['booking', token], next)
  const { profile, event_type: type } = held

  async function move(start: string) {
    await attempt('Your booking was not moved', async () => {
      keep(await callPublic('reschedule-booking', { token, start }))
      setMoving(false)
      toast.success('Your booking has a new time')
    })
    void queries.invalidateQueries({ queryKey: ['slots'] })
  }
  const cancel = () =>
    attempt('Your booking was not cancelled', async () => {
      keep(await callPublic('cancel-booking', { token, reason }))
    })

  return (
    <>
      <header className="flex flex-col gap-2">
        <h1 className="flex flex-wrap items-center gap-3 text-28 font-semibold">
          {search.has('new') && held.open ? (held.state === 'pending' ? 'Your request is sent' : 'You are booked') : 'Your booking'}
          <Pill tone={tone}>{state}</Pill>
        </h1>
        {search.has('new') && held.open ? (
          <p className="text-14 text-muted">
            {held.state === 'pending'
              ? `${held.host} answers by email. The time is held for you.`
              : 'A confirmation is on its way to your email.'}
          </p>
        ) : null}
      </header>
      <dl className="grid max-w-2xl grid-cols-[7rem_minmax(0,1fr)] gap-x-4 gap-y-3 border-y border-line py-5 text-14 max-sm:grid-cols-1 max-sm:gap-y-1">
        <Fact name="What">
          {held.title}, {held.minutes} minutes
        </Fact>
        <Fact name="With">{held.host}</Fact>
        <Fact name="When">
          {dateIn(held.starts_at, zone)}, {clockIn(held.starts_at, zone)} to {clockIn(held.ends_at, zone)}
          <span className="text-muted"> {zoneName(zone)}</span>
        </Fact>
        {held.place ? <Fact name={held.place_kind === 'phone' ? 'Phone' : 'Where'}>{held.place}</Fact> : null}
        {held.payment ? <Fact name="Payment">{paymentText(held, zone)}</Fact> : null}
        {held.reason && !held.open ? <Fact name="Reason">{held.reason}</Fact> : null}
      </dl>
      {held.open && !moving ? (
        <div className="flex flex-wrap gap-2">
          {type && profile ? (
            <Button size="public" variant="primary" onClick={() => setMoving(true)}>
              Choose another time
            </Button>
          ) : null}
          <Button size="public" variant="danger" onClick={() => setCancelling(true)}>
            Cancel booking
          </Button>
          {held.state === 'confirmed' ? (
            <a className={buttonClass({ size: 'public' })} href={`/functions/v1/booking.ics?token=${encodeURIComponent(token)}`}>
              <CalendarPlus />
              Add to calendar
            </a>
          ) : null}
        </div>
      ) : null}
      {!held.open && type && profile ? (
        <div>
          <ButtonLink size="public" to={paths.book(profile, type)}>
            Book another time
          </ButtonLink>
        </div>
      ) : null}
      {moving && type && profile ? (
        <section className="flex flex-col gap-5">
          <div className="flex items-center justify-between gap-3">
            <h2 className="text-20 font-semibold">Choose another time</h2>
            <Button onClick={() => setMoving(false)}>Keep this time</Button>
          </div>
          <SlotPicker profile={profile} type={type} daysAhead={365} zone={zone} onZone={setZone} onPick={move} />
        </section>
      ) : null}
      <Confirm
        open={cancelling}
        onClose={() => setCancelling(false)}
        title="Cancel this booking?"
        action="Cancel booking"
        keep="Keep it"
        danger
        onConfirm={cancel}
      >
        <p className="mb-4">
          {held.host} is told, and the time is free again. {refundText(held, zone)}
        </p>
        <TextArea label="Reason (optional)" value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </Confirm>
    </>
  )
}

/** A time that waits for its payment. */
function Unpaid({ held, token, isPaying }: { held: Held; token: string; isPaying: boolean }) {
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const until = held.payment!.hold_until!
  async function pay() {
    setBusy(true)
    await attempt('The payment page did not open', async () => location.assign((await callPublic('pay-booking', { token })).pay_url))
    setBusy(false)
  }
  const giveUp = () =>
    attempt('The time is still held', async () => {
      queries.setQueryData(['booking', token], await callPublic('cancel-booking', { token }))
    })
  return (
    <>
      <header className="flex flex-col gap-2">
        <h1 className="flex flex-wrap items-center gap-3 text-28 font-semibold">
          {isPaying ? 'Waiting for your payment' : 'Your time is held'}
          <Pill tone="warn">Not booked yet</Pill>
        </h1>
        <p className="text-14 text-muted" role="status">
          {isPaying
            ? 'This page shows the booking as soon as the payment has arrived.'
            : `It is yours until ${clockIn(until, held.guest_zone)}. Pay by then, or it is free for others again.`}
        </p>
      </header>
      <dl className="grid max-w-2xl grid-cols-[7rem_minmax(0,1fr)] gap-x-4 gap-y-3 border-y border-line py-5 text-14 max-sm:grid-cols-1 max-sm:gap-y-1">
        <Fact name="What">
          {held.title}, {held.minutes} minutes
        </Fact>
        <Fact name="With">{held.host}</Fact>
        <Fact name="When">
          {dateIn(held.starts_at, held.guest_zone)}, {clockIn(held.starts_at, held.guest_zone)}
          <span className="text-muted"> {zoneName(held.guest_zone)}</span>
        </Fact>
      </dl>
      <div className="flex flex-wrap gap-2">
        <Button size="public" variant="primary" busy={busy} onClick={pay}>
          Pay {priceOf(held)}
        </Button>
        <Button size="public" onClick={giveUp}>
          Give up this time
        </Button>
      </div>
    </>
  )
}

const priceOf = ({ payment }: Held) => (payment ? money(payment.amount_cents, payment.currency) : '')
const on = (at: string, zone: string) => `${dateIn(at, zone)}, ${clockIn(at, zone)}`

function paymentText(held: Held, zone: string): string {
  const price = priceOf(held)
  switch (held.payment!.state) {
    case 'paid':
      if (!held.open) return `${price} paid`
      return Date.parse(held.payment!.refund_until) >= Date.now()
        ? `${price} paid. You get it back if you cancel by ${on(held.payment!.refund_until, zone)}.`
        : `${price} paid. It is not refunded any more if you cancel.`
    case 'refunding':
      return `${price} goes back to the card that paid. Banks take 5 to 10 days to show it.`
    case 'refunded':
      return `${price} was refunded to the card that paid`
    case 'kept':
      return `${price} paid. It was cancelled too late for a refund.`
    default:
      return `${price}, not paid. Nothing was charged.`
  }
}

function refundText({ payment, ...held }: Held, zone: string): string {
  if (payment?.state !== 'paid') return ''
  return Date.parse(payment.refund_until) >= Date.now()
    ? `Your payment of ${priceOf({ ...held, payment })} goes back to the card that paid.`
    : `Your payment of ${priceOf({ ...held, payment })} is not refunded: that ended on ${on(payment.refund_until, zone)}.`
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words max-sm:mb-2">{children}</dd>
    </>
  )
}
