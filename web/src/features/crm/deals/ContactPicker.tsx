import { keepPreviousData } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { useCall } from '../../../api/call.ts'
import { Button } from '../../../ui/Button.tsx'
import { TextField } from '../../../ui/Field.tsx'

export type Picked = { id: string; name: string }

/** One of the contacts, found by name, email, company or number. */
export function ContactPicker({
  picked,
  onPick,
  className,
}: {
  picked: Picked | null
  onPick: (picked: Picked | null) => void
  className?: string
}) {
  const [typed, setTyped] = useState('')
  const query = useDeferredValue(typed.trim())
  const found = useCall(
    'find-contacts',
    { query, limit: 6 },
    { key: ['crm', 'pick', query], enabled: query.length > 1, placeholderData: keepPreviousData },
  )
  if (picked)
    return (
      <div className={className}>
        <p className="mb-1.5 text-13 font-medium">Contact</p>
        <Button onClick={() => onPick(null)} aria-label={`Remove ${picked.name} from the deal`}>
          {picked.name}
          <X />
        </Button>
      </div>
    )
  const rows = query.length > 1 ? (found.data?.contacts ?? []) : []
  return (
    <div className={className}>
      <TextField
        label="Contact"
        type="search"
        autoComplete="off"
        maxLength={100}
        placeholder="Type a name, email or company"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        error={found.isError ? 'The contacts could not be searched' : undefined}
        hint={query.length > 1 && found.data && rows.length === 0 ? 'No contact fits' : undefined}
      />
      {rows.length ? (
        <ul className="mt-1 rounded-control hairline" aria-label="Contacts found">
          {rows.map(({ id, name, email, company }) => (
            <li key={id}>
              <button
                type="button"
                className="flex w-full items-baseline gap-2 px-2.5 py-1.5 text-left text-13 hover:bg-raised max-md:min-h-11"
                onClick={() => {
                  onPick({ id, name })
                  setTyped('')
                }}
              >
                {name}
                <span className="truncate text-12 text-faint">{email ?? company}</span>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
