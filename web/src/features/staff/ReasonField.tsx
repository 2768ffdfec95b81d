import { TextField } from '../../ui/Field.tsx'

/** Every look is in the log with why it was taken. */
export function ReasonField({ value, onChange }: { value: string; onChange: (reason: string) => void }) {
  return (
    <TextField
      label="Reason"
      placeholder="Why you need to see it"
      autoComplete="off"
      maxLength={500}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
