import { type Period, periods, YEARLY_PERCENT_OFF } from '@operon/contracts/plans'
import { cx } from '../../ui/cx.ts'

const names: Record<Period, string> = { month: 'Monthly', year: `Yearly, save ${YEARLY_PERCENT_OFF}%` }

/** Chooses the price that is shown: by the month or by the year. */
export function PeriodSwitch({ value, onChange }: { value: Period; onChange: (period: Period) => void }) {
  return (
    <fieldset aria-label="Billing period" className="inline-grid grid-cols-2 gap-1 rounded-control bg-raised p-1">
      {periods.map((period) => (
        <button
          key={period}
          type="button"
          aria-pressed={period === value}
          onClick={() => onChange(period)}
          className={cx(
            'h-9 rounded-[4px] px-4 text-13 font-medium max-md:min-h-11',
            period === value ? 'bg-panel text-text hairline' : 'border border-transparent text-muted hover:text-text',
          )}
        >
          {names[period]}
        </button>
      ))}
    </fieldset>
  )
}
