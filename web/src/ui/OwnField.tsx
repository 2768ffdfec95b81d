import { Options, SelectField, TextField } from './Field.tsx'
import { type OwnField, typedOf, type Value } from './ownFields.ts'

type Props = { field: OwnField; name?: string; value?: Value | undefined; onChange?: (typed: string) => void; label?: string }

/** A field of one's own as its kind is typed. With `onChange` it is held by its owner, else by the form. */
export function FieldInput({ field: { name: title, kind, options }, name, value, onChange, label = title }: Props) {
  const typed = typedOf(value)
  const held = onChange
    ? { value: typed, onChange: (event: { target: { value: string } }) => onChange(event.target.value) }
    : { defaultValue: typed }
  const choices: [string, string][] =
    kind === 'yes_no'
      ? [
          ['yes', 'Yes'],
          ['no', 'No'],
        ]
      : [...new Set([...options, ...(kind === 'choice' && typed ? [typed] : [])])].map((option) => [option, option])
  if (kind === 'yes_no' || kind === 'choice')
    return (
      <SelectField label={label} name={name} {...held}>
        <option value="">{onChange ? 'Any' : 'Not set'}</option>
        <Options of={choices} />
      </SelectField>
    )
  const type = kind === 'date' ? 'date' : kind === 'number' ? 'number' : 'text'
  return <TextField label={label} name={name} type={type} step={kind === 'number' ? 'any' : undefined} maxLength={400} {...held} />
}
