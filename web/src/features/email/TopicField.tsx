import { Options, SelectField } from '../../ui/Field.tsx'
import { useTopics } from './queries.ts'

/** Shown once there are topics. */
export function TopicField({ value, onChange }: { value: string | null | undefined; onChange: (topic: string | null) => void }) {
  const topics = useTopics().data?.topics ?? []
  if (!topics.length) return null
  return (
    <SelectField
      label="Topic"
      value={value ?? ''}
      hint={value ? 'Readers who left this topic get no email.' : undefined}
      onChange={(event) => onChange(event.target.value || null)}
    >
      <option value="">No topic</option>
      <Options of={topics.map(({ topic_id, title }) => [topic_id, title])} />
    </SelectField>
  )
}
