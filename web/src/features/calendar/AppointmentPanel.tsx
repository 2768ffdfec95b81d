import { type FormEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm, Dialog } from '../../ui/Dialog.tsx'
import { TextArea, TextField } from '../../ui/Field.tsx'
import { money } from '../../ui/format.ts'
import { Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { browserZone, clockIn, dateIn, zoneName } from '../../ui/zones.ts'
import { type Appointment, newKey } from './queries.ts'

type Props = { of: Appointment; onClose: () => void; onDone: () => void }
const states = {
  pending: ['warn', 'Pending'],
  confirmed: ['good', 'Confirmed'],
  no_show: ['neutral', 'No-show'],
  declined: ['bad', 'Declined'],
  cancelled: ['bad', 'Cancelled'],
} as const

const textWords = ({ state, at }: NonNullable<Appointment['text_reminder']>, zone: string) =>
  ({
    planned: at ? `Goes out ${dateIn(at, zone)}, ${clockIn(at, zone)}` : 'Planned',
    queued: 'On its way',
    sending: 'On its way',
    sent: 'Reminder sent',
    unknown: 'The SMS provider did not answer, so it is unknown whether the reminder went out. It is not sent again.',
    refused: 'Not sent: the SMS provider does not reach this number.',
    stopped: 'Not sent: the guest does not want texts.',
    limit: 'Not sent: your plan’s text reminders for 24 hours were used up.',
    number: 'Not sent: this number was already texted, or got three reminders in 24 hours.',
  })[state]

/** One appointment, beside the calendar. */
export function AppointmentPanel({ of, onClose, onDone }: Props) {
  const zone = browserZone()
  const [busy, setBusy] = useState(false)
  const [ending, setEnding] = useState<'cancel' | 'decline' | null>(null)
  const [reason, setReason] = useState('')
  const [tone, state] = states[of.state]
  const hasBegun = Date.parse(of.starts_at) <= Date.now()
  const isGuests = of.guest_email !== null

  async function run(failure: string, work: () => Promise<unknown>, close = true) {
    setBusy(true)
    await attempt(failure, async () => {
      await work()
      if (close) onClose()
    })
    setBusy(false)
    onDone()
  }
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const given = { title: String(data.get('title')), place: String(data.get('place') ?? of.place), notes: String(data.get('notes')) }
    return run('It was not saved', () => call('edit-appointment', { appointment_id: of.id, version: of.version, ...given }, newKey()))
  }
  const confirm = () =>
    run('The booking was not confirmed', async () => {
      await call('answer-booking', { appointment_id: of.id, confirm: true }, newKey())
      toast.success('Confirmed. The guest gets an email')
    })
  const end = () =>
    run('It was not cancelled', () =>
      ending === 'decline'
        ? call('answer-booking', { appointment_id: of.id, confirm: false, reason }, newKey())
        : call('cancel-appointment', { appointment_id: of.id, reason }, newKey()),
    )
  const remove = () =>
    run('It was not deleted', async () => {
      await call('delete-appointment', { appointment_id: of.id }, newKey())
      const { title, starts_at, ends_at, notes, place, blocks } = of
      toast.undo(
        `“${title}” is deleted`,
        () =>
          void attempt('It is still deleted', () =>
            call('create-appointment', { title, starts_at, ends_at, notes, place, blocks }, newKey()).then(onDone),
          ),
      )
    })
  const mark = (no_show: boolean) => run('It was not noted', () => call('mark-no-show', { appointment_id: of.id, no_show }, newKey()))

  return (
    <>
      <Dialog
        open={ending === null}
        onClose={onClose}
        side="right"
        title={of.title}
        footer={
          <Button variant="primary" type="submit" form="appointment" busy={busy}>
            Save
          </Button>
        }
      >
        <div className="flex flex-col gap-5">
          <div className="flex flex-col items-start gap-2 text-14">
            <Pill tone={tone}>{of.payment?.hold_until ? 'Waiting for payment' : state}</Pill>
            <p>
              {dateIn(of.starts_at, zone)}, {clockIn(of.starts_at, zone)} to {clockIn(of.ends_at, zone)}
              <span className="text-muted"> {zoneName(zone)}</span>
            </p>
            {of.guest_zone && of.guest_zone !== zone ? (
              <p className="text-13 text-muted">
                {clockIn(of.starts_at, of.guest_zone)} for the guest, {zoneName(of.guest_zone)}
              </p>
            ) : null}
          </div>
          {of.payment?.hold_until ? (
            <p className="text-13 text-muted">The guest is paying. The time is held until {clockIn(of.payment.hold_until, zone)}.</p>
          ) : null}
          {of.state === 'pending' && !of.payment?.hold_until ? (
            <div className="flex gap-2">
              <Button variant="primary" busy={busy} onClick={confirm}>
                Confirm
              </Button>
              <Button variant="danger" onClick={() => setEnding('decline')}>
                Decline
              </Button>
            </div>
          ) : null}
          {isGuests ? (
            <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3 gap-y-2 border-y border-line py-4 text-13">
              <dt className="text-muted">Guest</dt>
              <dd>{of.guest_name}</dd>
              <dt className="text-muted">Email</dt>
              <dd className="break-all">
                <a className="underline" href={`mailto:${of.guest_email}`}>
                  {of.guest_email}
                </a>
              </dd>
              {of.guest_phone ? (
                <>
                  <dt className="text-muted">Phone</dt>
                  <dd>
                    <a className="underline" href={`tel:${of.guest_phone.replace(/[^+\d]/g, '')}`}>
                      {of.guest_phone}
                    </a>
                  </dd>
                </>
              ) : null}
              {of.payment && !of.payment.hold_until ? (
                <>
                  <dt className="text-muted">Paid</dt>
                  <dd>{money(of.payment.amount_cents, of.payment.currency)}</dd>
                </>
              ) : null}
              {of.text_reminder ? (
                <>
                  <dt className="text-muted">Text</dt>
                  <dd>{textWords(of.text_reminder, zone)}</dd>
                </>
              ) : null}
              {of.answers.map(({ label, answer }) => (
                <div key={label} className="col-span-2">
                  <dt className="text-muted">{label}</dt>
                  <dd className="whitespace-pre-line">{answer}</dd>
                </div>
              ))}
            </dl>
          ) : null}
          <form id="appointment" onSubmit={save} className="flex flex-col gap-4">
            <TextField label="Title" name="title" defaultValue={of.title} required maxLength={200} />
            <TextField label="Place" name="place" defaultValue={of.place} maxLength={500} />
            <TextArea label="Notes" name="notes" defaultValue={of.notes} maxLength={2000} hint="Only you see them." />
          </form>
          <div className="flex flex-wrap gap-2">
            {isGuests && hasBegun && of.state !== 'pending' ? (
              <Button busy={busy} onClick={() => mark(of.state !== 'no_show')}>
                {of.state === 'no_show' ? 'The guest did come' : 'Mark as no-show'}
              </Button>
            ) : null}
            {isGuests && of.state === 'confirmed' && !hasBegun ? (
              <Button variant="danger" onClick={() => setEnding('cancel')}>
                Cancel appointment
              </Button>
            ) : null}
            {isGuests ? null : (
              <Button variant="danger" busy={busy} onClick={remove}>
                Delete
              </Button>
            )}
          </div>
        </div>
      </Dialog>
      <Confirm
        open={ending !== null}
        onClose={() => setEnding(null)}
        title={ending === 'decline' ? 'Decline this request?' : 'Cancel this appointment?'}
        action={ending === 'decline' ? 'Decline and email the guest' : 'Cancel and email the guest'}
        keep="Keep it"
        danger
        onConfirm={end}
      >
        <p className="mb-4">
          {of.guest_name} gets an email, and the time is free again.
          {of.payment?.state === 'paid'
            ? ` The payment of ${money(of.payment.amount_cents, of.payment.currency)} goes back to the guest.`
            : ''}
        </p>
        <TextArea
          label="Reason (optional)"
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.target.value)}
          hint="The guest reads it."
        />
      </Confirm>
    </>
  )
}
