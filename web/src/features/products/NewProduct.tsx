import { SMALLEST_PRICE_CENTS, sellerShare } from '@operon/contracts/billing/rates'
import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { Options, SelectField, TextField } from '../../ui/Field.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { money } from '../../ui/format.ts'
import { categories, type Kind, kindNames, newKey, useProductsChanged } from './queries.ts'

export const centsOf = (dollars: string) => Math.round(Number(dollars.replace(/[$,\s]/g, '')) * 100)
export const smallestPrice = 'The smallest price is $2.00, so that the card’s fee leaves something.'
/** The seller's share of a sale, shown beside its price. */
export function keeps(cents: number): string {
  return `You keep ${money(sellerShare(cents))} of each sale: 80% of the price without tax.`
}

/** The four things that a draft cannot be without; all else is in the editor. */
export function NewProduct({ open, onClose }: { open: boolean; onClose: () => void }) {
  const navigate = useNavigate()
  const changed = useProductsChanged()
  const [kind, setKind] = useState<Kind>('file')
  const [price, setPrice] = useState('')
  const [key, setKey] = useState(newKey)
  const cents = centsOf(price)
  const tooLow = price !== '' && !(cents >= SMALLEST_PRICE_CENTS)

  async function create(of: (field: string) => string) {
    const item = { title: of('title'), description: '', category: of('category'), item_type: typeOf(kind), kind, price_cents: cents }
    const { item_id } = await call('create-product', item, { idempotencyKey: key })
    setKey(newKey())
    changed()
    navigate(paths.editProduct(item_id))
    // To close it would lead back.
    return false
  }
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="New product"
      description="It is a draft until you publish it."
      submit="Create draft"
      failed="The product was not made"
      save={create}
    >
      <TextField label="Name" name="title" required maxLength={120} data-first autoComplete="off" />
      <SelectField label="What buyers get" value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
        <Options of={Object.entries(kindNames)} />
      </SelectField>
      <SelectField label="Category" name="category">
        {categories.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <TextField
        label="Price in US dollars"
        inputMode="decimal"
        required
        value={price}
        onChange={(event) => setPrice(event.target.value)}
        placeholder="49.00"
        error={tooLow ? smallestPrice : undefined}
        hint={cents >= SMALLEST_PRICE_CENTS ? keeps(cents) : 'From $2.00.'}
      />
    </FormDialog>
  )
}

const typeOf = (kind: Kind) => ({ template: 'workflow', file: 'download', prompt_pack: 'prompts', service: 'service' })[kind]
