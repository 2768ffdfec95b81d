import type { CallReply } from '@operon/contracts/calls'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Options, SelectField, Switch, TextField } from '../../ui/Field.tsx'
import { Alert, ErrorState, Skeleton } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { allZones, browserZone, zoneName } from '../../ui/zones.ts'
import { isoDay } from './days.ts'
import { newKey, useAvailability, useReload } from './queries.ts'

type Kept = CallReply<'show-availability'>
type Span = Kept['hours'][number][number]
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const clock = (minutes: number) =>
  minutes >= 1440 ? '23:59' : `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
/** The last minute of a day stands for its end. */
const minutesOf = (value: string) => (value === '23:59' ? 1440 : Number(value.slice(0, 2)) * 60 + Number(value.slice(3, 5)))

export function Availability() {
  const kept = useAvailability()
  if (kept.isPending) return <Skeleton className="mt-5 h-96" />
  if (kept.isError) return <ErrorState title="Your availability could not be loaded" error={kept.error} retry={() => kept.refetch()} />
  return <Form key={kept.data.version} kept={kept.data} />
}

function Form({ kept }: { kept: Kept }) {
  const reload = useReload()
  const [zone, setZone] = useState(kept.version ? kept.zone : browserZone())
  const [hours, setHours] = useState(kept.hours)
  const [exceptions, setExceptions] = useState(kept.exceptions.map((each) => ({ ...each, key: crypto.randomUUID() })))
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const setDay = (day: number, spans: Span[]) => setHours(hours.map((each, at) => (at === day ? spans : each)))
  const change = (key: string, values: Partial<Kept['exceptions'][number]>) =>
    setExceptions(exceptions.map((each) => (each.key === key ? { ...each, ...values } : each)))

  async function save() {
    setBusy(true)
    setFailure(null)
    try {
      await call(
        'save-availability',
        { zone, hours, exceptions: exceptions.map(({ key: _, ...each }) => each), version: kept.version },
        newKey(),
      )
      toast.success('Availability saved', 'Your booking pages offer these hours from now on.')
      reload()
    } catch (error) {
      setFailure((error as Error).message)
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className="flex max-w-3xl flex-col gap-6 pt-5">
      <SelectField label="Time zone" value={zone} onChange={(event) => setZone(event.target.value)} fieldClassName="max-w-xs">
        <Options of={[...new Set([zone, ...allZones()])].sort().map((each) => [each, zoneName(each)])} />
      </SelectField>
      <section aria-label="Weekly hours">
        <h2 className="mb-2 text-14 font-semibold">Weekly hours</h2>
        <ul className="divide-y divide-line border-y border-line">
          {weekdays.map((name, day) => (
            <li key={name} className="flex flex-wrap items-start gap-x-4 gap-y-2 py-3">
              <div className="flex h-9 w-36 items-center gap-3 text-14">
                <Switch
                  label={name}
                  checked={hours[day]!.length > 0}
                  onChange={(open) => setDay(day, open ? [{ from: 540, to: 1020 }] : [])}
                />
                {name}
              </div>
              {hours[day]!.length ? (
                <Spans name={name} spans={hours[day]!} onChange={(spans) => setDay(day, spans)} />
              ) : (
                <p className="flex h-9 items-center text-13 text-faint">Closed</p>
              )}
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="Days that differ">
        <h2 className="text-14 font-semibold">Days that differ</h2>
        <p className="mb-3 text-13 text-muted">Time off, holidays, or a day with other hours.</p>
        <ul className="flex flex-col gap-3">
          {exceptions.map(({ key, from, to, spans }) => (
            <li key={key} className="flex flex-wrap items-end gap-3 rounded-panel p-3 hairline">
              <TextField
                label="From"
                type="date"
                value={from}
                onChange={(event) => change(key, { from: event.target.value, to: [to, event.target.value].sort()[1]! })}
              />
              <TextField label="To" type="date" value={to} min={from} onChange={(event) => change(key, { to: event.target.value })} />
              <SelectField
                label="Hours"
                value={spans.length ? 'other' : 'off'}
                onChange={(event) => change(key, { spans: event.target.value === 'off' ? [] : [{ from: 540, to: 720 }] })}
              >
                <option value="off">Time off</option>
                <option value="other">Other hours</option>
              </SelectField>
              <IconButton label="Remove" onClick={() => setExceptions(exceptions.filter((each) => each.key !== key))}>
                <X />
              </IconButton>
              {spans.length ? <Spans name="that day" spans={spans} onChange={(next) => change(key, { spans: next })} /> : null}
            </li>
          ))}
        </ul>
        <Button
          className="mt-3"
          disabled={exceptions.length >= 100}
          onClick={() =>
            setExceptions([...exceptions, { key: crypto.randomUUID(), from: isoDay(new Date()), to: isoDay(new Date()), spans: [] }])
          }
        >
          <Plus />
          Add days
        </Button>
      </section>
      {failure ? <Alert title="Your availability was not saved">{failure}</Alert> : null}
      <div>
        <Button variant="primary" busy={busy} onClick={save}>
          Save availability
        </Button>
      </div>
    </div>
  )
}

function Spans({ name, spans, onChange }: { name: string; spans: Span[]; onChange: (spans: Span[]) => void }) {
  const set = (at: number, values: Partial<Span>) => onChange(spans.map((span, n) => (n === at ? { ...span, ...values } : span)))
  const input = 'h-9 rounded-control border border-control/70 bg-page px-2 text-14 tabular-nums max-md:h-11'
  const last = spans.at(-1)
  return (
    <div className="flex flex-col gap-2">
      {spans.map((span, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a span is its place in the day
        <div key={n} className="flex items-center gap-2">
          <input
            type="time"
            aria-label={`${name}, from`}
            className={input}
            value={clock(span.from)}
            onChange={(event) => event.target.value && set(n, { from: minutesOf(event.target.value) })}
          />
          <span className="text-muted">to</span>
          <input
            type="time"
            aria-label={`${name}, to`}
            className={input}
            value={clock(span.to)}
            onChange={(event) => event.target.value && set(n, { to: minutesOf(event.target.value) })}
          />
          {n > 0 ? (
            <IconButton label="Remove these hours" onClick={() => onChange(spans.filter((_, at) => at !== n))}>
              <X />
            </IconButton>
          ) : last && last.to <= 1320 && spans.length < 6 ? (
            <IconButton
              label={`More hours on ${name}`}
              onClick={() => onChange([...spans, { from: last.to + 60, to: Math.min(1440, last.to + 120) }])}
            >
              <Plus />
            </IconButton>
          ) : null}
        </div>
      ))}
    </div>
  )
}
