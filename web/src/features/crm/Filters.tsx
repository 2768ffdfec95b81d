import { useEffect, useState } from 'react'
import { SelectField, TextField } from '../../ui/Field.tsx'
import type { Address } from './address.ts'
import { useTags } from './queries.ts'
import { capital, sortNames, sorts, statuses, temperatureNames } from './words.ts'

export function Filters({ address }: { address: Address }) {
  const { query, temperature, status, tag, sort, change } = address
  const tags = useTags().data?.tags.map((each) => each.tag) ?? []
  const options = tag && !tags.includes(tag) ? [tag, ...tags] : tags
  return (
    <div className="grid grid-cols-2 items-end gap-3 lg:grid-cols-[minmax(14rem,1fr)_8rem_8rem_9rem_9.5rem]">
      <SearchField query={query} onChange={(q) => change({ q: q || undefined }, true)} />
      <SelectField label="Heat" value={temperature ?? ''} onChange={(event) => change({ temperature: event.target.value }, true)}>
        <option value="">All</option>
        {Object.entries(temperatureNames).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField label="Status" value={status ?? ''} onChange={(event) => change({ status: event.target.value }, true)}>
        <option value="">All</option>
        {statuses.map((each) => (
          <option key={each} value={each}>
            {capital(each)}
          </option>
        ))}
      </SelectField>
      <SelectField label="Tag" value={tag ?? ''} onChange={(event) => change({ tag: event.target.value }, true)}>
        <option value="">All</option>
        {options.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </SelectField>
      <SelectField label="Order" value={sort} onChange={(event) => change({ sort: event.target.value }, true)}>
        {sorts.map((each) => (
          <option key={each} value={each}>
            {sortNames[each]}
          </option>
        ))}
      </SelectField>
    </div>
  )
}

/** Typed here, kept in the address a moment after the last key. */
function SearchField({ query, onChange }: { query: string; onChange: (query: string) => void }) {
  const [typed, setTyped] = useState(query)
  useEffect(() => {
    if (typed.trim() === query) return
    const timer = setTimeout(() => onChange(typed.trim()), 250)
    return () => clearTimeout(timer)
  }, [typed, query, onChange])
  return (
    <TextField
      label="Search"
      type="search"
      fieldClassName="max-lg:col-span-2"
      placeholder="Name, email, company or phone"
      autoComplete="off"
      maxLength={100}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
