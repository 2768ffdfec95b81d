import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import type { Approval } from '../api/ai.ts'
import { Button } from '../ui/Button.tsx'
import { TextArea } from '../ui/Field.tsx'
import { moment } from '../ui/format.ts'
import { Alert, Pill } from '../ui/Panel.tsx'
import { fieldsOf, isForMachines } from './fields.ts'
import { CopyTool } from './MessageItem.tsx'
import type { Failure } from './outcome.ts'
import { Sources } from './Sources.tsx'

type Step = Approval['steps'][number]
const states: Record<Step['state'], { label: string; tone?: 'good' | 'warn' }> = {
  waiting: { label: 'Waiting' },
  running: { label: 'Running' },
  done: { label: 'Done', tone: 'good' },
  failed: { label: 'Failed', tone: 'warn' },
  unknown: { label: 'Outcome unknown', tone: 'warn' },
  skipped: { label: 'Not run' },
  undone: { label: 'Undone' },
}

type Props = {
  approval: Approval
  busy?: boolean
  problem?: Failure | null
  onApprove: () => void
  onDismiss: () => void
  /** False where the input was refused. */
  onEdit: (step: number, input: Step['input']) => Promise<boolean>
  onUndo: (step: number) => void
}

/** Steps with their previews, and what became of them. */
export function ApprovalView({ approval, busy = false, problem, onApprove, onDismiss, onEdit, onUndo }: Props) {
  const [editing, setEditing] = useState<number | null>(null)
  // Back from the form, the keyboard is where it left.
  const [edited, setEdited] = useState<number | null>(null)
  const begin = (at: number) => {
    setEditing(at)
    setEdited(at)
  }
  if (approval.state === 'dismissed') return null
  const open = approval.state === 'proposed'
  const done = approval.steps.filter(({ state }) => state === 'done').length
  const [only, ...others] = approval.steps
  const isUndone = others.length === 0 && only?.state === 'undone'
  const isChange = !open && others.length === 0 && only?.effect === 'changes'
  return (
    <section
      aria-label={`${isChange ? 'Change' : 'Proposed'}: ${approval.title}`}
      aria-busy={approval.state === 'running'}
      className="rounded-panel p-4 hairline"
    >
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="min-w-0 flex-1 text-13 font-semibold break-words">{approval.title}</h3>
        <span role="status">
          {approval.state === 'done' ? isUndone ? <Pill>Undone</Pill> : <Pill tone="good">Done</Pill> : null}
          {approval.state === 'running' ? (
            <Pill>
              {done} of {approval.steps.length} done
            </Pill>
          ) : null}
          {approval.state === 'failed' ? <Pill tone="warn">Stopped</Pill> : null}
          {approval.state === 'unknown' ? <Pill tone="warn">Outcome unknown</Pill> : null}
          {open ? <Pill>Waiting for your approval</Pill> : null}
        </span>
      </div>
      <ol className="mt-3 flex flex-col gap-3">
        {approval.steps.map((step, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps keep their place
          <li key={at} className="border-t border-line pt-3">
            <div className="flex items-start gap-3">
              <p className="min-w-0 flex-1 text-13 break-words">
                {others.length ? <span className="text-faint">{at + 1}. </span> : null}
                {step.does}
              </p>
              {open || approval.steps.length === 1 ? null : <Pill tone={states[step.state].tone}>{states[step.state].label}</Pill>}
            </div>
            {step.preview ? <Fields of={shownOf(step)} label="Preview" most={MOST_LINES} /> : null}
            {step.error ? <p className="mt-1 text-13 text-muted">{step.error}</p> : null}
            {step.reply && !isSilent(step) ? <Fields of={step.reply} label="Result" /> : null}
            {step.state === 'unknown' ? (
              <p className="mt-1 text-13 text-muted">This was interrupted and may have happened. Check before you ask for it again.</p>
            ) : null}
            {open && editing === at ? (
              <EditStep
                step={step}
                busy={busy}
                onCancel={() => setEditing(null)}
                onSave={async (input) => {
                  if (await onEdit(at + 1, input)) setEditing(null)
                }}
              />
            ) : null}
            {open && editing === null && textsOf(step).length ? (
              <Button
                variant="ghost"
                className="mt-1"
                aria-label={`Edit step ${at + 1}`}
                autoFocus={edited === at}
                onClick={() => begin(at)}
              >
                Edit
              </Button>
            ) : null}
            {step.state === 'done' && step.undo_until && Date.parse(step.undo_until) > Date.now() ? (
              <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
                <Button disabled={busy} aria-label={others.length ? `Undo step ${at + 1}` : undefined} onClick={() => onUndo(at + 1)}>
                  <Undo2 />
                  Undo
                </Button>
                <span className="text-12 text-faint">You can undo this until {moment(step.undo_until)}</span>
              </div>
            ) : null}
          </li>
        ))}
      </ol>
      {problem ? (
        <Alert title={problem.title} className="mt-3">
          {problem.words}
        </Alert>
      ) : null}
      {open ? (
        <div className="mt-3 flex gap-2">
          <Button variant="primary" busy={busy ? 'Starting' : false} disabled={editing !== null} onClick={onApprove}>
            {approval.steps.length === 1 ? 'Approve' : `Approve all ${approval.steps.length}`}
          </Button>
          <Button disabled={busy} onClick={onDismiss}>
            Dismiss
          </Button>
        </div>
      ) : null}
    </section>
  )
}

/** A change's reply is for its undo: the sentence above has said what it did. */
const isSilent = ({ effect, state }: Step) => state === 'undone' || effect === 'changes'

/** Where nothing can be known before, the note speaks of the input, so that is shown with it. */
const shownOf = ({ input, preview }: Step): object => {
  const known = preview as { note?: string }
  return known.note ? { ...input, ...known } : known
}

const MOST_LINES = 10

function Fields({ of, label, most = Number.POSITIVE_INFINITY }: { of: unknown; label: string; most?: number }) {
  const { sources } = of as { sources?: unknown }
  const fields = fieldsOf(of as object)
  const links = Array.isArray(sources) ? sources.map(String) : []
  if (!fields.length && !links.length) return null
  return (
    <div className="mt-2 rounded-control bg-raised p-3">
      <dl aria-label={label} className="flex flex-col gap-2 text-13">
        {fields.map(({ name, lines }) => (
          <div key={name}>
            <dt className="text-12 text-faint first-letter:uppercase">{name}</dt>
            <dd className="whitespace-pre-wrap break-words">
              {lines.slice(0, most).join('\n')}
              <Rest lines={lines.slice(most)} />
            </dd>
          </div>
        ))}
      </dl>
      {links.length ? (
        <div className="mt-3">
          <Sources links={links} />
        </div>
      ) : null}
      <div className="mt-1">
        <CopyTool text={fields.map(({ lines }) => lines.join('\n')).join('\n\n')} />
      </div>
    </div>
  )
}

function Rest({ lines }: { lines: string[] }) {
  if (!lines.length) return null
  return (
    <details>
      <summary className="cursor-pointer py-1 text-muted max-md:py-3">and {lines.length.toLocaleString('en-US')} more</summary>
      {lines.join('\n')}
    </details>
  )
}

/** The fields that a person can edit. */
const textsOf = ({ input }: Step) =>
  Object.entries(input).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && !isForMachines(entry[1]))

type EditProps = { step: Step; busy: boolean; onCancel: () => void; onSave: (input: Step['input']) => void }
function EditStep({ step, busy, onCancel, onSave }: EditProps) {
  const texts = textsOf(step)
  const [values, setValues] = useState(Object.fromEntries(texts))
  return (
    <form
      className="mt-2 flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onSave({ ...step.input, ...values })
      }}
    >
      {texts.map(([name], at) => (
        <TextArea
          key={name}
          autoFocus={at === 0}
          label={`${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`}
          value={values[name]!}
          onChange={(event) => setValues({ ...values, [name]: event.target.value })}
        />
      ))}
      <div className="flex gap-2">
        <Button type="submit" busy={busy ? 'Checking' : false}>
          Save
        </Button>
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
