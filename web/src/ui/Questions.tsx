import { Plus, X } from 'lucide-react'
import { Button, IconButton } from './Button.tsx'
import { Checkbox, TextField } from './Field.tsx'

export type Question = { key: string; label: string; required: boolean }
type Props<Q> = { of: readonly Q[]; onChange: (questions: Q[]) => void; most: number; fresh: () => Q }

export const withKey = <Q extends object>(question: Q) => ({ ...question, key: crypto.randomUUID() })

/** The questions that a visitor is asked beside the name and the address: added, changed and removed in place. */
export function Questions<Q extends Question>({ of, onChange, most, fresh }: Props<Q>) {
  const change = (key: string, values: Partial<Question>) => onChange(of.map((each) => (each.key === key ? { ...each, ...values } : each)))
  return (
    <fieldset className="flex flex-col gap-3 border-t border-line pt-4">
      <legend className="float-left text-13 font-medium">Questions</legend>
      {of.map(({ key, label, required }, n) => (
        <div key={key} className="flex flex-col gap-2">
          <div className="flex items-end gap-2">
            <TextField
              label={`Question ${n + 1}`}
              value={label}
              required
              maxLength={120}
              onChange={(event) => change(key, { label: event.target.value })}
              fieldClassName="flex-1"
            />
            <IconButton label={`Remove question ${n + 1}`} onClick={() => onChange(of.filter((each) => each.key !== key))}>
              <X />
            </IconButton>
          </div>
          <Checkbox checked={required} onChange={(event) => change(key, { required: event.target.checked })}>
            Has to be answered
          </Checkbox>
        </div>
      ))}
      {of.length < most ? (
        <div>
          <Button onClick={() => onChange([...of, fresh()])}>
            <Plus />
            Add a question
          </Button>
        </div>
      ) : null}
    </fieldset>
  )
}
