import { keepPreviousData } from '@tanstack/react-query'
import { Building2, CircleDollarSign, UserRound } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useId, useRef, useState } from 'react'
import { useCall } from '../../api/call.ts'
import { cx } from '../../ui/cx.ts'
import { TextArea } from '../../ui/Field.tsx'
import { askedIn, type Picked } from './mentions.ts'

const icons = { contact: UserRound, company: Building2, deal: CircleDollarSign }
const OF_EACH = 4

type Props = { value: string; onChange: (text: string) => void; onPick: (picked: Picked) => void }

/** The text of a note. After an @ it offers contacts, companies and deals, by arrows and Enter or by a press. */
export function MentionField({ value, onChange, onPick }: Props) {
  const list = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState(0)
  const [at, setAt] = useState(0)
  const [closedFor, setClosedFor] = useState<number | null>(null)
  const asked = askedIn(value.slice(0, caret))
  const found = useFound(asked?.query ?? '')
  const options = asked && asked.starts !== closedFor ? found : []
  const chosen = Math.min(at, options.length - 1)

  function pick(picked: Picked) {
    const starts = asked!.starts
    const before = `${value.slice(0, starts)}@${picked.name} `
    onChange(before + value.slice(caret).replace(/^ /, ''))
    onPick(picked)
    setAt(0)
    setCaret(before.length)
    setClosedFor(starts)
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(before.length, before.length)
    })
  }
  function onKeyDown(event: KeyboardEvent) {
    if (!options.length) return
    const { key } = event
    if (key === 'ArrowDown' || key === 'ArrowUp') setAt((chosen + (key === 'ArrowDown' ? 1 : options.length - 1)) % options.length)
    else if (key === 'Enter' || key === 'Tab') pick(options[chosen]!)
    else if (key === 'Escape') setClosedFor(asked!.starts)
    else return
    event.preventDefault()
    // Escape closes the list here, and the panel around it stays.
    event.stopPropagation()
  }
  return (
    <div>
      <TextArea
        ref={field}
        label="Note"
        className="min-h-16"
        required
        maxLength={4000}
        placeholder="Wants a quote by Friday. @ mentions a contact, a company or a deal"
        value={value}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={list}
        aria-activedescendant={options.length ? `${list}-${chosen}` : undefined}
        onKeyDown={onKeyDown}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onChange={(event) => {
          const { value: text, selectionStart } = event.target
          onChange(text)
          setCaret(selectionStart)
          setAt(0)
          if (askedIn(text.slice(0, selectionStart))?.starts !== closedFor) setClosedFor(null)
        }}
      />
      <div
        id={list}
        role="listbox"
        aria-label="Mention"
        className={options.length ? 'mt-1 overflow-hidden rounded-control hairline' : 'hidden'}
      >
        {options.map((option, n) => {
          const Icon = icons[option.kind]
          return (
            <button
              type="button"
              key={`${option.kind} ${option.id}`}
              id={`${list}-${n}`}
              role="option"
              tabIndex={-1}
              aria-selected={n === chosen}
              className={cx(
                'flex w-full items-center gap-2 px-2.5 py-1.5 text-left text-13 max-md:min-h-11',
                n === chosen ? 'bg-raised' : 'hover:bg-raised',
              )}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => pick(option)}
            >
              <Icon aria-hidden="true" className="size-4 shrink-0 text-faint" />
              <span className="truncate">{option.name}</span>
              <span className="ml-auto truncate text-12 text-faint">{option.about}</span>
            </button>
          )
        })}
      </div>
    </div>
  )
}

function useFound(typed: string): (Picked & { about: string })[] {
  const query = useDeferredValue(typed.slice(0, 40))
  const options = { enabled: query.length > 0, placeholderData: keepPreviousData }
  const asked = { query, limit: OF_EACH }
  const contacts = useCall('find-contacts', asked, { key: ['crm', 'mention contacts', query], ...options })
  const companies = useCall('find-companies', asked, { key: ['crm', 'mention companies', query], ...options })
  const deals = useCall('find-deals', asked, { key: ['crm', 'mention deals', query], ...options })
  if (!query) return []
  return [
    ...(contacts.data?.contacts ?? []).map(({ id, name, email }) => ({ kind: 'contact' as const, id, name, about: email ?? '' })),
    ...(companies.data?.companies ?? []).map(({ id, name, domain }) => ({
      kind: 'company' as const,
      id,
      name,
      about: domain ?? 'Company',
    })),
    ...(deals.data?.deals ?? []).map(({ id, title }) => ({ kind: 'deal' as const, id, name: title, about: 'Deal' })),
  ]
}
