import { ArrowDown, ArrowUp, ChartColumn, Clock, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { Options, SelectField, TextField } from '../../../ui/Field.tsx'
import { EmptyState, Panel, Pill } from '../../../ui/Panel.tsx'
import { attempt } from '../../../ui/toast.tsx'
import { useSearch } from '../../../ui/useSearch.ts'
import { newKey, type Sequence, type Step, useEmailStatus, useRefresh } from '../queries.ts'
import { count, share } from '../words.ts'
import { AddRunning } from './AddRunning.tsx'
import { blankEmail } from './blank.ts'
import { upTo } from './Sequences.tsx'
import { type Unit, unitOf, units } from './words.ts'

const MOST = 10
const DAYS = 1440
const LONGEST = 525_600

/** The emails in order, each under its wait. Order and number are fixed while people move through them. */
export function Steps({ of: { sequence, steps } }: { of: Sequence }) {
  const { sequence_id, state } = sequence
  const { change } = useSearch()
  const refresh = useRefresh()
  const senders = useEmailStatus().data?.senders
  const [busy, setBusy] = useState(false)
  const [asked, setAsked] = useState<Step | null>(null)
  const [adding, setAdding] = useState(false)
  const isFixed = state === 'running'
  const kept = (all: Step[]) => all.map(({ step_id, wait_minutes }) => ({ step_id, wait_minutes }))
  async function write(next: Parameters<typeof call<'update-sequence'>>[1]) {
    setBusy(true)
    const done = await attempt('The sequence was not changed', async () => {
      await call('update-sequence', next, newKey())
      await refresh()
    })
    setBusy(false)
    return done
  }
  const add = (subject = '', text?: string) =>
    write({
      sequence_id,
      steps: [...kept(steps), { wait_minutes: steps.length ? 2 * DAYS : 0, subject, document: blankEmail(senders, text) }],
    })
  const addEmail = () => (isFixed ? setAdding(true) : void add())
  function moved(at: number, by: number) {
    const all = kept(steps)
    const [one] = all.splice(at, 1)
    all.splice(at + by, 0, one!)
    void write({ sequence_id, steps: all })
  }
  const remove = (step: Step) => write({ sequence_id, steps: kept(steps.filter(({ step_id }) => step_id !== step.step_id)) })
  return (
    <Panel
      flush
      title="Emails"
      actions={
        steps.length ? (
          <Button busy={busy} disabled={steps.length >= MOST} onClick={addEmail}>
            <Plus />
            Add email
          </Button>
        ) : null
      }
    >
      {steps.length ? null : (
        <EmptyState
          compact
          title="No emails yet"
          action={
            <Button busy={busy} onClick={addEmail}>
              <Plus />
              Add email
            </Button>
          }
        >
          Add the first email, then as many as nine more.
        </EmptyState>
      )}
      <ol aria-label="Emails of the sequence" className="divide-y divide-line">
        {steps.map((step, at) => (
          <li key={step.step_id} className="flex flex-col gap-2 px-4 py-3">
            <Wait
              key={step.wait_minutes}
              step={step}
              at={at}
              onChange={(wait_minutes) =>
                void write({ sequence_id, steps: kept(steps.map((each) => (each === step ? { ...each, wait_minutes } : each))) })
              }
            />
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="grid size-7 shrink-0 place-items-center rounded-full bg-raised text-12 font-medium tabular">{at + 1}</span>
              <button
                type="button"
                onClick={() => change({ email: step.step_id })}
                className="min-w-0 flex-1 basis-40 truncate text-left font-medium underline-offset-4 hover:underline max-md:min-h-11"
              >
                {step.subject || 'No subject yet'}
              </button>
              {step.ready ? null : <Pill tone="warn">Not ready</Pill>}
              <span className="flex max-md:w-full max-md:justify-between max-md:pl-10">
                <IconButton label={`Report of email ${at + 1}`} onClick={() => change({ report: step.step_id })}>
                  <ChartColumn />
                </IconButton>
                <IconButton
                  label={`Move email ${at + 1} up`}
                  hint={isFixed ? 'Pause the sequence to move emails' : undefined}
                  disabled={isFixed || busy || at === 0}
                  onClick={() => moved(at, -1)}
                >
                  <ArrowUp />
                </IconButton>
                <IconButton
                  label={`Move email ${at + 1} down`}
                  hint={isFixed ? 'Pause the sequence to move emails' : undefined}
                  disabled={isFixed || busy || at === steps.length - 1}
                  onClick={() => moved(at, 1)}
                >
                  <ArrowDown />
                </IconButton>
                <IconButton
                  label={`Remove email ${at + 1}`}
                  hint={isFixed ? 'Pause the sequence to remove emails' : undefined}
                  disabled={isFixed || busy}
                  onClick={() => (step.sent || step.ready ? setAsked(step) : void remove(step))}
                >
                  <Trash2 />
                </IconButton>
              </span>
            </div>
            <p className="flex flex-wrap gap-x-4 gap-y-1 pl-10 text-12 text-muted tabular">
              <span>{upTo(step.waiting)} waiting</span>
              <span>{count(step.sent)} sent</span>
              <span>
                {count(step.opened)} opened{step.sent ? ` · ${share(step.opened, step.sent)}` : ''}
              </span>
              <span>
                {count(step.clicked)} clicked{step.sent ? ` · ${share(step.clicked, step.sent)}` : ''}
              </span>
              <span>{upTo(step.left)} left</span>
            </p>
          </li>
        ))}
      </ol>
      {isFixed ? <p className="border-t border-line px-4 py-2.5 text-12 text-faint">Pause the sequence to move or remove emails.</p> : null}
      {adding ? <AddRunning onClose={() => setAdding(false)} onAdd={add} /> : null}
      <Confirm
        open={asked !== null}
        onClose={() => setAsked(null)}
        title={`Remove ${asked?.subject || 'this email'}?`}
        action="Remove"
        danger
        onConfirm={() => asked && remove(asked)}
      >
        People who wait for it go on to the next email. Its text is deleted.
      </Confirm>
    </Panel>
  )
}

/** Kept when the field is left, or another unit is chosen. */
function Wait({ step: { wait_minutes }, at, onChange }: { step: Step; at: number; onChange: (minutes: number) => void }) {
  const [unit, setUnit] = useState<Unit>(unitOf(wait_minutes))
  const [value, setValue] = useState(String(wait_minutes / units[unit]))
  function keep(next: Unit) {
    const minutes = Math.min(LONGEST, Math.max(0, Math.round(Number(value) || 0)) * units[next])
    if (minutes !== wait_minutes) onChange(minutes)
  }
  return (
    <div className="flex items-end gap-2 md:pl-10">
      <Clock aria-hidden className="mb-2 size-4 shrink-0 text-faint max-md:hidden" />
      <TextField
        label={at ? 'Wait after the email before' : 'Wait after they enter'}
        type="number"
        min={0}
        inputMode="numeric"
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onBlur={() => keep(unit)}
        onKeyDown={(event) => event.key === 'Enter' && keep(unit)}
        fieldClassName="min-w-0 flex-1 md:max-w-48"
      />
      <SelectField
        label="Unit"
        value={unit}
        onChange={(event) => {
          const next = event.target.value as Unit
          setUnit(next)
          keep(next)
        }}
        fieldClassName="w-28"
      >
        <Options of={(Object.keys(units) as Unit[]).map((each) => [each, each])} />
      </SelectField>
    </div>
  )
}
