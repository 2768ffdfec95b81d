import { useState } from 'react'
import { Link } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { Checkbox, Options, SelectField, TextArea, TextField } from '../../ui/Field.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { Questions, withKey } from '../../ui/Questions.tsx'
import { toast } from '../../ui/toast.tsx'
import { browserZone } from '../../ui/zones.ts'
import { type EventType, newKey, type Texts } from './queries.ts'

const MOST_QUESTIONS = 10
const slugOf = (title: string) =>
  title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '')
const notices = [
  [0, 'None'],
  [60, '1 hour'],
  [240, '4 hours'],
  [1440, '1 day'],
  [2880, '2 days'],
  [10_080, '1 week'],
] as const
const reminders = [
  [0, 'No reminder'],
  [60, '1 hour before'],
  [240, '4 hours before'],
  [1440, '1 day before'],
  [2880, '2 days before'],
] as const

const refunds = [
  [0, 'Until it begins'],
  [4, '4 hours before'],
  [24, '1 day before'],
  [48, '2 days before'],
  [168, '1 week before'],
] as const

type Asking = EventType['questions'][number] & { key: string }
type Props = { of: EventType | null; texts: Texts; onClose: () => void; onDone: () => void }

export function EventTypeDialog({ of, texts, onClose, onDone }: Props) {
  const [title, setTitle] = useState(of?.title ?? '')
  const [slug, setSlug] = useState(of?.slug ?? '')
  const [isPaid, setIsPaid] = useState((of?.price_cents ?? 0) > 0)
  const [placeKind, setPlaceKind] = useState(of?.place_kind ?? 'phone')
  const [questions, setQuestions] = useState<Asking[]>(of?.questions.map(withKey) ?? [])

  async function save(typed: (field: string) => string, data: FormData) {
    const number = (name: string) => Number(typed(name))
    const given = {
      title,
      slug,
      description: typed('description'),
      minutes: number('minutes'),
      ...(of && of.step_minutes !== of.minutes && { step_minutes: of.step_minutes }),
      before_minutes: number('before_minutes'),
      after_minutes: number('after_minutes'),
      notice_minutes: number('notice_minutes'),
      days_ahead: number('days_ahead'),
      remind_minutes: number('remind_minutes'),
      sms_minutes: number('sms_minutes'),
      place_kind: placeKind,
      place: placeKind === 'phone' ? '' : typed('place'),
      questions: questions.map(({ label, required, kind }) => ({ label, required, kind })),
      price_cents: Math.round(number('price') * 100),
      refund_hours: number('refund_hours'),
      needs_approval: data.has('needs_approval'),
      active: data.has('active'),
    }
    if (of) await call('update-event-type', { ...given, event_type_id: of.id, version: of.version }, newKey())
    else {
      await call('create-event-type', { ...given, zone: browserZone() }, newKey())
      toast.success('Your booking page is open', 'Copy its link and share it.')
    }
    onDone()
  }

  return (
    <FormDialog
      onClose={onClose}
      side="right"
      title={of ? 'Edit booking page' : 'New booking page'}
      submit={of ? 'Save' : 'Create page'}
      failed="The page was not saved"
      save={save}
    >
      <TextField
        label="Title"
        value={title}
        onChange={(event) => {
          setTitle(event.target.value)
          if (!of && slug === slugOf(title)) setSlug(slugOf(event.target.value))
        }}
        required
        maxLength={120}
        data-first
      />
      <TextField
        label="Address"
        value={slug}
        onChange={(event) => setSlug(event.target.value)}
        required
        maxLength={60}
        pattern="[a-z0-9]+(-[a-z0-9]+)*"
        hint="The last part of the link: small letters, digits and hyphens."
      />
      <TextArea label="Description (optional)" name="description" defaultValue={of?.description} maxLength={1000} />
      <div className="grid grid-cols-2 gap-4">
        <TextField label="Minutes" name="minutes" type="number" min={5} max={720} step={5} required defaultValue={of?.minutes ?? 30} />
        <TextField label="Days ahead" name="days_ahead" type="number" min={1} max={365} required defaultValue={of?.days_ahead ?? 60} />
        <TextField
          label="Minutes free before"
          name="before_minutes"
          type="number"
          min={0}
          max={240}
          required
          defaultValue={of?.before_minutes ?? 0}
        />
        <TextField
          label="Minutes free after"
          name="after_minutes"
          type="number"
          min={0}
          max={240}
          required
          defaultValue={of?.after_minutes ?? 0}
        />
        <SelectField label="Shortest notice" name="notice_minutes" defaultValue={of?.notice_minutes ?? 240}>
          <Options of={withOwn(notices, of?.notice_minutes)} />
        </SelectField>
        <SelectField label="Email reminder" name="remind_minutes" defaultValue={of?.remind_minutes ?? 1440}>
          <Options of={withOwn(reminders, of?.remind_minutes)} />
        </SelectField>
        {texts?.reason ? <p className="col-span-2 text-13 text-muted">{texts.reason}</p> : null}
        {texts && !texts.reason ? (
          <SelectField
            label="Text reminder"
            name="sms_minutes"
            defaultValue={of?.sms_minutes ?? 0}
            fieldClassName="col-span-2"
            hint={`Guests choose whether they are texted. Your plan sends up to ${texts.a_day} text reminders in 24 hours; ${texts.left} are left.`}
          >
            <Options of={withOwn(reminders, of?.sms_minutes)} />
          </SelectField>
        ) : null}
      </div>
      <div className="grid grid-cols-2 gap-4">
        <TextField
          label="Price in US dollars"
          name="price"
          type="number"
          min={0}
          step={0.01}
          defaultValue={(of?.price_cents ?? 0) / 100}
          onChange={(event) => setIsPaid(Number(event.target.value) > 0)}
          hint="0 is free."
        />
        {isPaid ? (
          <SelectField label="Refund if cancelled" name="refund_hours" defaultValue={of?.refund_hours ?? 24}>
            {refunds.some(([value]) => value === (of?.refund_hours ?? 24)) ? null : (
              <option value={of?.refund_hours}>{`${of?.refund_hours} hours before`}</option>
            )}
            <Options of={refunds} />
          </SelectField>
        ) : (
          <input type="hidden" name="refund_hours" value={of?.refund_hours ?? 24} />
        )}
      </div>
      {isPaid ? (
        <p className="text-13 text-muted">
          Guests pay by card before the time is booked.{' '}
          <Link className="underline" to={paths.payments}>
            Your payouts have to be set up
          </Link>{' '}
          for that.
        </p>
      ) : null}
      <SelectField label="Where" value={placeKind} onChange={(event) => setPlaceKind(event.target.value as typeof placeKind)}>
        <option value="phone">By phone: you call the guest</option>
        <option value="link">Online: a link of yours</option>
        <option value="address">In person</option>
      </SelectField>
      {placeKind === 'phone' ? null : (
        <TextField
          key={placeKind}
          label={placeKind === 'link' ? 'Link to the meeting' : 'Address of the meeting'}
          name="place"
          type={placeKind === 'link' ? 'url' : 'text'}
          required
          maxLength={500}
          defaultValue={of?.place_kind === placeKind ? of.place : ''}
          hint={placeKind === 'link' ? 'Guests get it once their booking is confirmed.' : undefined}
        />
      )}
      <Questions
        of={questions}
        onChange={setQuestions}
        most={MOST_QUESTIONS}
        fresh={() => withKey({ label: '', required: false, kind: 'line' as const })}
      />
      <div className="flex flex-col gap-2 border-t border-line pt-4">
        <Checkbox name="needs_approval" defaultChecked={of?.needs_approval}>
          I approve each booking before it is confirmed
        </Checkbox>
        <Checkbox name="active" defaultChecked={of?.active ?? true}>
          The page can be opened
        </Checkbox>
      </div>
    </FormDialog>
  )
}

/** A program may have set something between what is listed here. */
const withOwn = (known: readonly (readonly [number, string])[], own: number | undefined) =>
  own === undefined || known.some(([value]) => value === own) ? known : [...known, [own, `${own} minutes`] as const]
