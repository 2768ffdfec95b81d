import { ChevronLeft, ChevronRight, Plus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Choices } from '../../ui/Choices.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { Asked, SamplePill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { useSampleData } from '../../ui/useSampleData.ts'
import { browserZone, clockIn, dateIn, zoneName } from '../../ui/zones.ts'
import { AppointmentPanel } from './AppointmentPanel.tsx'
import { daysOf, isoDay, step, timeOf, titleOf, type View, views } from './days.ts'
import { MonthGrid } from './MonthGrid.tsx'
import { NewAppointment } from './NewAppointment.tsx'
import { type Appointment, newKey, useAppointments, useReload } from './queries.ts'
import { sampleMeetings } from './samples.ts'
import { TimeGrid } from './TimeGrid.tsx'

type Times = { starts_at: Date; ends_at: Date }

export function Schedule() {
  const [search, setSearch] = useSearchParams()
  const usual: View = matchMedia('(width < 768px)').matches ? 'day' : 'week'
  const view = views.find((each) => each === search.get('view')) ?? usual
  const day = /^\d{4}-\d\d-\d\d$/.test(search.get('day') ?? '') ? search.get('day')! : isoDay(new Date())
  const days = daysOf(view, day)
  const listed = useAppointments(days)
  const reload = useReload()
  const sample = useSampleData()
  const isSample = listed.data?.any === false && listed.data.external.length === 0 && sample.shown
  const shown = isSample ? sampleMeetings(days) : (listed.data?.appointments ?? [])
  const [draft, setDraft] = useState<Times | null>(null)
  const [asked, setAsked] = useState<{ of: Appointment; to: Times } | null>(null)
  const opened = listed.data?.appointments.find(({ id }) => id === search.get('open'))

  function go(values: Record<string, string | null>) {
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        for (const [name, value] of Object.entries(values)) value === null ? next.delete(name) : next.set(name, value)
        return next
      },
      { replace: true },
    )
  }

  useEffect(() => {
    if (!search.has('new')) return
    const next = new Date(Math.ceil(Date.now() / 1_800_000) * 1_800_000)
    setDraft({ starts_at: next, ends_at: new Date(next.getTime() + 1_800_000) })
    const rest = new URLSearchParams(search)
    rest.delete('new')
    setSearch(rest, { replace: true })
  }, [search, setSearch])

  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.metaKey || event.ctrlKey || event.altKey) return
      if ((event.target as HTMLElement).closest('input, textarea, select, dialog, [contenteditable], [role=tablist]')) return
      const act = new Map([
        ['n', () => go({ new: '' })],
        ['t', () => go({ day: null })],
        ['d', () => go({ view: 'day' })],
        ['w', () => go({ view: 'week' })],
        ['m', () => go({ view: 'month' })],
        ['ArrowLeft', () => go({ day: step(view, day, -1) })],
        ['ArrowRight', () => go({ day: step(view, day, 1) })],
      ])
      const run = act.get(event.key)
      if (!run) return
      event.preventDefault()
      run()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })

  const move = (of: Appointment, to: Times, version = of.version): Promise<unknown> =>
    attempt('The appointment was not moved', async () => {
      const times = { starts_at: to.starts_at.toISOString(), ends_at: to.ends_at.toISOString() }
      const moved = await call('move-appointment', { appointment_id: of.id, ...times, version }, newKey())
      const back = { starts_at: new Date(of.starts_at), ends_at: new Date(of.ends_at) }
      if (of.guest_email) toast.success('Moved. The guest gets an email')
      else toast.undo(`Moved to ${clockIn(to.starts_at, browserZone())}`, () => void move({ ...of, ...times }, back, moved.version))
      reload()
    }).finally(reload)

  const onMove = (of: Appointment, to: Times) => (of.guest_email ? setAsked({ of, to }) : void move(of, to))
  const onCreate = (times: Times) => setDraft(times)

  return (
    <div className="flex flex-col gap-3 pt-4">
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => go({ day: null })}>Today</Button>
        <IconButton label={`Previous ${view}`} hint="←" onClick={() => go({ day: step(view, day, -1) })}>
          <ChevronLeft />
        </IconButton>
        <IconButton label={`Next ${view}`} hint="→" onClick={() => go({ day: step(view, day, 1) })}>
          <ChevronRight />
        </IconButton>
        <h2 className="flex min-w-0 flex-wrap items-center gap-3 text-16 font-semibold" aria-live="polite">
          {titleOf(view, day)}
          {isSample ? <SamplePill /> : null}
        </h2>
        <Choices label="View" of={views} chosen={view} choose={(view) => go({ view })} className="capitalize md:ml-auto" />
        <Button variant="primary" onClick={() => go({ new: '' })}>
          <Plus />
          New appointment
        </Button>
      </div>
      <Asked query={listed} skeleton="h-[36rem]" failed="Your calendar could not be loaded" />
      {listed.data && view === 'month' ? (
        <MonthGrid
          days={days}
          month={day.slice(0, 7)}
          appointments={shown}
          external={listed.data.external}
          onOpen={isSample ? undefined : (id) => go({ open: id })}
          onDay={(each) => go({ view: 'day', day: each })}
          onCreate={(each) => onCreate({ starts_at: timeOf(each, 540), ends_at: timeOf(each, 570) })}
        />
      ) : null}
      {listed.data && view !== 'month' ? (
        <TimeGrid
          days={days}
          appointments={shown}
          external={listed.data.external}
          onOpen={isSample ? undefined : (id) => go({ open: id })}
          onCreate={onCreate}
          onMove={isSample ? undefined : onMove}
        />
      ) : null}
      <p className="text-12 text-faint">
        Times in {zoneName(browserZone())}.{' '}
        <span className="max-md:hidden">
          Drag over free time to add an appointment, or drag one to move it. Keys: N new, T today, D W M view, Alt with arrows moves the one
          in focus.
        </span>
      </p>
      {draft ? <NewAppointment times={draft} onClose={() => setDraft(null)} onDone={reload} /> : null}
      {opened ? <AppointmentPanel key={opened.id} of={opened} onClose={() => go({ open: null })} onDone={reload} /> : null}
      <Confirm
        open={asked !== null}
        onClose={() => setAsked(null)}
        title="Move this booking?"
        action="Move and email the guest"
        onConfirm={() => asked && move(asked.of, asked.to)}
      >
        {asked
          ? `${asked.of.guest_name} gets an email with the new time: ${dateIn(asked.to.starts_at, browserZone())}, ${clockIn(asked.to.starts_at, browserZone())}.`
          : null}
      </Confirm>
    </div>
  )
}
