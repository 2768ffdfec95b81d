import { texts } from '@operon/contracts/messages'
import { type FormEvent, useRef, useState } from 'react'
import { callPublic } from '../../api/call.ts'
import { ApiError } from '../../api/http.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox, TextArea, TextField } from '../../ui/Field.tsx'
import { money } from '../../ui/format.ts'
import { Alert } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Bookable } from './BookPage.tsx'
import { refundRule } from './refunds.ts'

const before = (minutes: number) =>
  minutes % 1440 === 0
    ? `${count(minutes / 1440, 'day')} before`
    : minutes % 60 === 0
      ? `${count(minutes / 60, 'hour')} before`
      : `${minutes} minutes before`
const count = (n: number, unit: string) => `${n} ${unit}${n === 1 ? '' : 's'}`

type Props = {
  profile: string
  type: Bookable
  start: string
  zone: string
  onBooked: (token: string) => void
  onTaken: () => void
}

export function GuestForm({ profile, type, start, zone, onBooked, onTaken }: Props) {
  const [busy, setBusy] = useState(false)
  const [texted, setTexted] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  // A second press, or a try after a lost answer, is the same booking.
  const sent = useRef<{ body: string; key: string } | null>(null)

  async function book(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const said = (name: string) => String(data.get(name) ?? '').trim()
    const given = {
      profile,
      event_type: type.slug,
      start,
      zone,
      name: said('name'),
      email: said('email'),
      ...(said('phone') && { phone: said('phone') }),
      ...(texted && { text_me: true }),
      answers: type.questions.map((_, n) => said(`answer-${n}`)),
    }
    const body = JSON.stringify(given)
    if (sent.current?.body !== body) sent.current = { body, key: crypto.randomUUID() }
    setBusy(true)
    setFailure(null)
    try {
      const { manage_url, pay_url } = await callPublic('book', given, { idempotencyKey: sent.current.key })
      if (pay_url) return location.assign(pay_url)
      onBooked(manage_url.slice(manage_url.lastIndexOf('/') + 1))
    } catch (error) {
      const said = error instanceof ApiError ? error : null
      if (said?.code === 'slot_taken') {
        toast.error('Somebody was faster', said.message)
        onTaken()
      } else if (said?.code === 'seller_not_ready') toast.info(texts.purchaseComingSoon)
      else setFailure(error instanceof Error ? error.message : 'Nothing was booked. Try again.')
    } finally {
      setBusy(false)
    }
  }

  return (
    <form onSubmit={book} className="flex flex-col gap-4">
      <TextField label="Your name" name="name" autoComplete="name" required maxLength={120} autoFocus />
      <TextField
        label="Email"
        name="email"
        type="email"
        autoComplete="email"
        required
        maxLength={254}
        hint="The confirmation goes here, with a link to move or cancel."
      />
      {type.place_kind === 'phone' ? (
        <TextField label="Phone" name="phone" type="tel" autoComplete="tel" required maxLength={40} hint="You are called on this number." />
      ) : null}
      {type.sms_minutes ? (
        <div className="flex flex-col gap-3">
          <Checkbox checked={texted} onChange={(event) => setTexted(event.target.checked)}>
            Text me a reminder {before(type.sms_minutes)}
          </Checkbox>
          {texted && type.place_kind !== 'phone' ? (
            <TextField label="Mobile number" name="phone" type="tel" autoComplete="tel" required maxLength={40} />
          ) : null}
          {texted ? (
            <p className="text-13 text-muted">
              Give a number that is yours, with its country code. One text message is sent for this booking. Reply STOP to it to end texts.
            </p>
          ) : null}
        </div>
      ) : null}
      {type.questions.map(({ label, required, kind }, n) => {
        const field = { label: required ? label : `${label} (optional)`, name: `answer-${n}`, required, maxLength: 2000 }
        return kind === 'text' ? <TextArea key={label} {...field} /> : <TextField key={label} {...field} />
      })}
      {type.price_cents ? (
        <p className="text-13 text-muted">The time is held for you for 15 minutes and booked once it is paid. {refundRule(type)}</p>
      ) : null}
      {failure ? <Alert title="Nothing was booked">{failure}</Alert> : null}
      <div>
        <Button variant="primary" size="public" type="submit" busy={busy}>
          {type.price_cents ? `Pay ${money(type.price_cents)}` : type.needs_approval ? 'Request this time' : 'Book this time'}
        </Button>
      </div>
    </form>
  )
}
