import { money } from '@operon/contracts/words'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { SelectField, TextField } from '../../ui/Field.tsx'
import { day } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel, Pill } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { type Coupon, type Coupons, newKey } from './queries.ts'
import { isReason, ReasonForm } from './ReasonForm.tsx'
import { ReasonPanel } from './ReasonPanel.tsx'
import { StaffTable } from './StaffTable.tsx'
import type { LookUp } from './useLookUp.ts'

/** Promotion codes that the payment page of a plan takes. */
export function CouponsTab({ lookUp }: { lookUp: LookUp<string, Coupons> }) {
  const { busy, asked, found, error, ask } = lookUp
  const [reason, setReason] = useState(asked ?? '')
  const [making, setMaking] = useState(false)
  const [ending, setEnding] = useState<Coupon>()
  const list = () => ask(reason.trim())
  return (
    <div className="flex flex-col gap-5 pt-5">
      <ReasonForm reason={reason} onChange={setReason} onAsk={list} ask="List codes" busy={busy}>
        <Button className="md:h-9" disabled={!isReason(reason)} onClick={() => setMaking(true)}>
          New code
        </Button>
      </ReasonForm>
      <Panel title="Promotion codes" flush>
        {error ? <ErrorState title="The codes could not be listed" error={error} retry={list} /> : null}
        {found?.coupons.length ? (
          <StaffTable label="Promotion codes" head={['Code', 'Discount', 'Used']} wide={['Ends']} actions>
            {found.coupons.map((coupon) => (
              <tr key={coupon.id} className="align-baseline">
                <td className="font-mono text-12 break-all">{coupon.code}</td>
                <td>
                  {discountOf(coupon)}
                  <span className="block text-12 text-faint">{durationOf(coupon)}</span>
                </td>
                <td className="tabular">
                  {coupon.used.toLocaleString('en-US')}
                  {coupon.most_uses ? ` of ${coupon.most_uses.toLocaleString('en-US')}` : ''}
                </td>
                <td className="whitespace-nowrap text-muted max-md:hidden">{coupon.expires_at ? day(coupon.expires_at) : 'No end date'}</td>
                <td className="text-right">
                  {coupon.active ? (
                    <Button onClick={() => setEnding(coupon)}>
                      End<span className="sr-only"> {coupon.code}</span>
                    </Button>
                  ) : (
                    <Pill>ended</Pill>
                  )}
                </td>
              </tr>
            ))}
          </StaffTable>
        ) : error ? null : (
          <EmptyState compact title={found ? 'No codes yet' : 'Not listed yet'}>
            A buyer of a plan enters the code at the payment page, and for a year on the plan page. A discount from a friend’s invitation
            takes its place.
          </EmptyState>
        )}
        {found?.cursor ? <p className="px-4 py-3 text-12 text-faint">These are the newest {found.coupons.length}.</p> : null}
      </Panel>
      {making ? <NewCoupon onClose={() => setMaking(false)} onDone={list} /> : null}
      {ending ? (
        <ReasonPanel
          title={`End ${ending.code}`}
          action="End code"
          danger
          says="The code is not taken any more. What was discounted with it stays so, and it cannot be opened again."
          onClose={() => setEnding(undefined)}
          run={async (why) => {
            await call('staff-end-coupon', { id: ending.id, reason: why })
            toast.success(`${ending.code} has ended`)
            await list()
          }}
        />
      ) : null}
    </div>
  )
}

const discountOf = ({ percent_off, amount_off_cents, currency }: Coupon) =>
  percent_off ? `${percent_off}% off` : `${money({ amount_cents: amount_off_cents ?? 0, currency: currency ?? 'usd' })} off`
const durationOf = ({ duration, months, yearly }: Pick<Coupon, 'duration' | 'months' | 'yearly'>) =>
  duration === 'forever'
    ? 'Each month'
    : duration === 'repeating'
      ? `The first ${months} months`
      : `The first payment${yearly ? ', by the month or the year' : ', by the month'}`

function NewCoupon({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<void> }) {
  const [key] = useState(newKey)
  const [code, setCode] = useState('')
  const [unit, setUnit] = useState<'percent' | 'amount'>('percent')
  const [value, setValue] = useState('20')
  const [duration, setDuration] = useState<Coupon['duration']>('once')
  const [months, setMonths] = useState('3')
  const [isYearly, setYearly] = useState(false)
  const yearly = isYearly && duration === 'once'
  const [mostUses, setMostUses] = useState('')
  const number = Number(value.replace(',', '.'))
  const off = unit === 'percent' ? Math.round(number) : Math.round(number * 100)
  const fits = off >= 1 && off <= (unit === 'percent' ? 100 : 100_000)
  const known = /^[A-Z0-9]{3,30}$/.test(code)
  const uses = mostUses.trim() ? Number(mostUses) : undefined
  const isReady = known && fits && (duration !== 'repeating' || Number(months) >= 1) && (uses === undefined || uses >= 1)
  const words = unit === 'percent' ? `${off}% off` : `${money({ amount_cents: off, currency: 'usd' })} off`

  async function run(reason: string) {
    await call(
      'staff-create-coupon',
      {
        ...{ code, duration, reason },
        ...(unit === 'percent' ? { percent_off: off } : { amount_off_cents: off }),
        ...(duration === 'repeating' && { months: Number(months) }),
        ...(uses && { most_uses: uses }),
        ...(yearly && { yearly }),
      },
      { idempotencyKey: key },
    )
    toast.success(`${code} can be used now`)
    await onDone()
  }

  return (
    <ReasonPanel
      title="New promotion code"
      action="Create code"
      ready={isReady}
      says={
        isReady
          ? `Anyone who enters ${code} when they choose a plan gets ${words}: ${durationOf({ duration, months: Number(months), yearly }).toLowerCase()}${uses ? `, for the first ${uses.toLocaleString('en-US')} who use it` : ''}.`
          : 'Enter a code of 3 to 30 letters and figures, and a discount.'
      }
      onClose={onClose}
      run={run}
    >
      <TextField
        label="Code"
        autoComplete="off"
        maxLength={30}
        value={code}
        onChange={(event) => setCode(event.target.value.toUpperCase().replace(/[^A-Z0-9]/g, ''))}
      />
      <div className="grid grid-cols-2 gap-3">
        <TextField label="Discount" inputMode="decimal" value={value} onChange={(event) => setValue(event.target.value)} />
        <SelectField label="In" value={unit} onChange={(event) => setUnit(event.target.value as typeof unit)}>
          <option value="percent">Percent</option>
          <option value="amount">US dollars</option>
        </SelectField>
        <SelectField label="For" value={duration} onChange={(event) => setDuration(event.target.value as typeof duration)}>
          <option value="once">The first payment</option>
          <option value="repeating">Some months</option>
          <option value="forever">Every payment</option>
        </SelectField>
        {duration === 'once' ? (
          <SelectField label="Plans" value={yearly ? 'both' : 'month'} onChange={(event) => setYearly(event.target.value === 'both')}>
            <option value="month">By the month</option>
            <option value="both">By the month or the year</option>
          </SelectField>
        ) : null}
        {duration === 'repeating' ? (
          <TextField label="Months" inputMode="numeric" value={months} onChange={(event) => setMonths(event.target.value)} />
        ) : null}
        <TextField
          label="Most uses"
          inputMode="numeric"
          placeholder="No limit"
          value={mostUses}
          onChange={(event) => setMostUses(event.target.value.replace(/\D/g, ''))}
        />
      </div>
    </ReasonPanel>
  )
}
