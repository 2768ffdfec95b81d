import { X } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { Options, SearchAsTyped, SelectField } from '../../ui/Field.tsx'
import { FieldInput } from '../../ui/OwnField.tsx'
import { useFields } from '../../ui/ownFields.ts'
import type { Address } from './address.ts'
import { useCompany, useTags } from './queries.ts'
import { capital, sortNames, sorts, statuses, temperatureNames } from './words.ts'

export function Filters({ address }: { address: Address }) {
  const { query, temperature, status, tag, sort, change } = address
  const fields = useFields()
  const field = fields.find(({ id }) => id === address.field)
  const tags = useTags().data?.tags.map((each) => each.tag) ?? []
  const options = tag && !tags.includes(tag) ? [tag, ...tags] : tags
  return (
    <div className="grid grid-cols-2 items-end gap-3 lg:grid-cols-[minmax(14rem,1fr)_8rem_8rem_9rem_9.5rem]">
      <SearchAsTyped query={query} onChange={(q) => change({ q }, true)} placeholder="Name, email, company or phone" maxLength={100} />
      <SelectField label="Heat" value={temperature ?? ''} onChange={(event) => change({ temperature: event.target.value }, true)}>
        <option value="">All</option>
        <Options of={Object.entries(temperatureNames)} />
      </SelectField>
      <SelectField label="Status" value={status ?? ''} onChange={(event) => change({ status: event.target.value }, true)}>
        <option value="">All</option>
        <Options of={statuses.map((each) => [each, capital(each)])} />
      </SelectField>
      <SelectField label="Tag" value={tag ?? ''} onChange={(event) => change({ tag: event.target.value }, true)}>
        <option value="">All</option>
        {options.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </SelectField>
      <SelectField label="Order" value={sort} onChange={(event) => change({ sort: event.target.value }, true)}>
        <Options of={sorts.map((each) => [each, sortNames[each]])} />
      </SelectField>
      {fields.length ? (
        <SelectField label="Field" value={field?.id ?? ''} onChange={(event) => change({ field: event.target.value, value: null }, true)}>
          <option value="">Any field</option>
          <Options of={fields.map(({ id, name }) => [id, name])} />
        </SelectField>
      ) : null}
      {field ? (
        <FieldInput field={field} label={`${field.name} is`} value={address.value} onChange={(value) => change({ value }, true)} />
      ) : null}
      {address.companyId ? <OfCompany id={address.companyId} clear={() => change({ in: undefined }, true)} /> : null}
    </div>
  )
}

function OfCompany({ id, clear }: { id: string; clear: () => void }) {
  const name = useCompany(id).data?.name
  return (
    <div className="col-span-full">
      <Button onClick={clear} aria-label={`Show contacts of every company, not only ${name ?? 'this one'}`}>
        Company: {name ?? '…'}
        <X />
      </Button>
    </div>
  )
}
