import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Options, SelectField, TextField } from '../../../ui/Field.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { toast } from '../../../ui/toast.tsx'
import { newKey, useRefresh } from '../queries.ts'
import { ContactPicker, type Picked } from './ContactPicker.tsx'
import type { Deal, Pipeline } from './queries.ts'
import { currencies } from './words.ts'

type Props = {
  open: boolean
  onClose: () => void
  deal?: Deal
  contact?: Picked | null
  /** Where a new one can begin. */
  stages?: Pipeline['stages']
}
const lastCurrency = 'operon-deal-currency'

/** Adds a deal, or changes the one that is given. */
export function DealForm({ open, onClose, deal, contact, stages = [] }: Props) {
  const refresh = useRefresh()
  const [picked, setPicked] = useState<Picked | null>(
    deal?.contact_id ? { id: deal.contact_id, name: deal.contact_name ?? 'A deleted contact' } : (contact ?? null),
  )
  async function save(of: (field: string) => string) {
    const common = { title: of('title'), amount_cents: Math.round(Number(of('amount') || 0) * 100), currency: of('currency') }
    const options = { idempotencyKey: newKey() }
    if (deal) {
      const cleared = { contact_id: picked?.id ?? null, expected_close: of('close') || null, owner: of('owner') || null }
      await call('update-deal', { deal_id: deal.id, version: deal.version, ...common, ...cleared }, options)
    } else {
      const given = {
        ...(picked && { contact_id: picked.id }),
        ...(of('close') && { expected_close: of('close') }),
        ...(of('owner') && { owner: of('owner') }),
        ...(of('stage') && { stage_id: of('stage') }),
      }
      await call('create-deal', { ...common, ...given }, options)
      localStorage.setItem(lastCurrency, common.currency)
    }
    await refresh()
    toast.success(deal ? 'Deal changed' : `${common.title} added`)
  }
  const currency = deal?.currency ?? localStorage.getItem(lastCurrency) ?? 'usd'
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={deal ? 'Edit deal' : 'New deal'}
      submit={deal ? 'Save' : 'Add deal'}
      failed={deal ? 'The deal was not changed' : 'The deal was not added'}
      save={save}
      className="grid gap-4 sm:grid-cols-2"
    >
      <TextField
        label="Title"
        name="title"
        required
        maxLength={200}
        data-first
        placeholder="Website for Harbour Café"
        fieldClassName="sm:col-span-2"
        defaultValue={deal?.title ?? ''}
      />
      <TextField
        label="Amount"
        name="amount"
        type="number"
        min={0}
        max={1_000_000_000}
        step="0.01"
        inputMode="decimal"
        defaultValue={deal ? deal.amount_cents / 100 : ''}
      />
      <SelectField label="Currency" name="currency" defaultValue={currency}>
        <Options of={[...new Set([...currencies, currency])].map((each) => [each, each.toUpperCase()])} />
      </SelectField>
      <ContactPicker picked={picked} onPick={setPicked} className="sm:col-span-2" />
      <TextField label="Expected close" name="close" type="date" defaultValue={deal?.expected_close ?? ''} />
      <TextField label="Owner" name="owner" maxLength={120} placeholder="The person in charge" defaultValue={deal?.owner ?? ''} />
      {!deal && stages.length ? (
        <SelectField label="Stage" name="stage" fieldClassName="sm:col-span-2">
          <Options of={stages.map((stage) => [stage.id, stage.name])} />
        </SelectField>
      ) : null}
    </FormDialog>
  )
}
