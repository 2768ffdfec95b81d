import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Table } from '../../ui/Data.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { Options, SelectField, TextField } from '../../ui/Field.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { day, money } from '../../ui/format.ts'
import { Asked, EmptyState, Panel, Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { centsOf } from './NewProduct.tsx'
import { newKey, type Row } from './queries.ts'

const stateNames = { active: 'active', scheduled: 'scheduled', used_up: 'used up', expired: 'expired', ended: 'ended' } as const

/** Codes that buyers enter at checkout. */
export function Coupons({ products }: { products: Row[] }) {
  const queries = useQueryClient()
  const listed = useCall('list-coupons', {}, { key: ['coupons'] })
  const [making, setMaking] = useState(false)
  const [ending, setEnding] = useState<{ coupon_id: string; code: string } | null>(null)
  const reload = () => queries.invalidateQueries({ queryKey: ['coupons'] })
  const coupons = listed.data?.coupons ?? []
  const end = ({ coupon_id, code }: { coupon_id: string; code: string }) =>
    attempt(`${code} was not ended`, async () => {
      await call('end-coupon', { coupon_id }, { idempotencyKey: newKey() })
      await reload()
      toast.success(`${code} ended`)
    })
  return (
    <Panel
      title="Coupons"
      flush
      actions={
        <Button onClick={() => setMaking(true)}>
          <Plus />
          New coupon
        </Button>
      }
    >
      <Asked query={listed} skeleton="m-4 h-12" failed="Your coupons could not be loaded" />
      {listed.data && !coupons.length ? (
        <EmptyState compact title="No coupons yet">
          A code takes a percentage or an amount off what buyers pay, for all of your products or for one.
        </EmptyState>
      ) : null}
      {coupons.length ? (
        <Table
          label="Coupons"
          head={[
            'Code',
            'Off',
            'For',
            'Used',
            'Ends',
            'State',
            <span key="actions" className="sr-only">
              Actions
            </span>,
          ]}
        >
          {coupons.map((coupon) => (
            <tr key={coupon.coupon_id}>
              <td className="font-mono text-12">{coupon.code}</td>
              <td>{coupon.percent_off ? `${coupon.percent_off}%` : money(coupon.amount_off_cents!)}</td>
              <td>{forOf(coupon.item_ids, products)}</td>
              <td className="tabular">{coupon.max_uses ? `${coupon.used} of ${coupon.max_uses}` : coupon.used}</td>
              <td className="whitespace-nowrap">{coupon.ends_at ? day(coupon.ends_at) : 'Never'}</td>
              <td>
                <Pill tone={coupon.state === 'active' ? 'good' : 'neutral'}>{stateNames[coupon.state]}</Pill>
              </td>
              <td className="text-right">
                {coupon.state === 'ended' ? null : (
                  <Button variant="ghost" onClick={() => setEnding(coupon)}>
                    End
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      ) : null}
      {listed.data?.next ? <p className="px-4 py-3 text-12 text-faint">These are the newest {coupons.length}.</p> : null}
      <NewCoupon open={making} onClose={() => setMaking(false)} onMade={reload} products={products} />
      <Confirm
        open={Boolean(ending)}
        onClose={() => setEnding(null)}
        title={`End ${ending?.code ?? ''}?`}
        action="End coupon"
        danger
        onConfirm={() => end(ending!)}
      >
        No new checkout takes it. Orders that were paid with it stay as they are.
      </Confirm>
    </Panel>
  )
}

function forOf(ids: string[] | null, products: Row[]): string {
  if (!ids) return 'All products'
  const name = products.find(({ id }) => id === ids[0])?.name
  return ids.length === 1 ? (name ?? '1 product') : `${ids.length} products`
}

type NewProps = { open: boolean; onClose: () => void; onMade: () => Promise<unknown>; products: Row[] }
function NewCoupon({ open, onClose, onMade, products }: NewProps) {
  const [off, setOff] = useState<'percent' | 'amount'>('percent')
  async function make(of: (field: string) => string) {
    const given = {
      code: of('code'),
      ...(off === 'percent' ? { percent_off: Number(of('value')) } : { amount_off_cents: centsOf(of('value')) }),
      ...(of('item') && { item_ids: [of('item')] }),
      ...(of('uses') && { max_uses: Number(of('uses')) }),
      ...(of('ends') && { ends_at: new Date(`${of('ends')}T23:59:59`).toISOString() }),
    }
    const coupon = await call('create-coupon', given, { idempotencyKey: newKey() })
    await onMade()
    toast.success(`${coupon.code} made`)
  }
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="New coupon"
      submit="Make coupon"
      failed="The coupon was not made"
      save={make}
      className="grid gap-4 sm:grid-cols-2"
    >
      <TextField
        label="Code"
        name="code"
        required
        maxLength={30}
        pattern="[A-Za-z0-9][A-Za-z0-9\-]{2,29}"
        title="3 to 30 letters, digits and hyphens"
        placeholder="SPRING-20"
        className="uppercase"
        fieldClassName="sm:col-span-2"
        autoComplete="off"
        data-first
      />
      <SelectField label="Takes off" value={off} onChange={(event) => setOff(event.target.value as 'percent')}>
        <option value="percent">A percentage</option>
        <option value="amount">An amount</option>
      </SelectField>
      {off === 'percent' ? (
        <TextField key="percent" label="Percent" name="value" type="number" min={1} max={90} step={1} required placeholder="20" />
      ) : (
        <TextField
          key="amount"
          label="US dollars"
          name="value"
          type="number"
          min={0.5}
          max={10000}
          step={0.01}
          required
          placeholder="5.00"
        />
      )}
      <SelectField label="For" name="item" fieldClassName="sm:col-span-2">
        <option value="">All of your products</option>
        <Options of={products.map(({ id, name }) => [id, name])} />
      </SelectField>
      <TextField label="Largest number of uses" name="uses" type="number" min={1} max={100000} step={1} hint="Empty: no limit." />
      <TextField label="Last day" name="ends" type="date" hint="Empty: until you end it." />
    </FormDialog>
  )
}
