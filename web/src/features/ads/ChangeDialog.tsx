import { useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm, Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { money } from '../../ui/format.ts'
import { Alert, Pill, Skeleton } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { type AdRow, useAdsRefresh } from './queries.ts'

type Wanted = { status?: 'active' | 'paused'; daily_budget_cents?: number }

/** The state of one campaign, ad set or ad, and its changes, which are asked before they are made. */
export function ChangeDialog({ row, currency, onClose }: { row: AdRow; currency: string; onClose: () => void }) {
  const [budget, setBudget] = useState(row.budget_cents === null ? '' : (row.budget_cents / 100).toFixed(2))
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const [now, setNow] = useState({ status: row.status, budget_cents: row.budget_cents })
  const refresh = useAdsRefresh()
  const cents = Math.round(Number(budget) * 100)
  const fits = Number.isFinite(cents) && cents >= 100

  async function apply() {
    try {
      const { row: read } = await call(
        'change-ad',
        { level: row.level, object_id: row.id, ...wanted },
        { idempotencyKey: crypto.randomUUID() },
      )
      setNow(read)
      toast.success(
        `${row.name}: ${read.status.toLowerCase()}${read.budget_cents ? `, ${money(read.budget_cents, currency)} a day` : ''}`,
        'As Meta says now.',
      )
      await refresh()
    } catch (error) {
      toast.error('Not changed', (error as Error).message)
    }
  }

  return (
    <Dialog open onClose={onClose} title={row.name} side="right">
      <div className="flex flex-col gap-6 text-13">
        <p className="flex flex-wrap items-center gap-2">
          <Pill tone={now.status === 'Active' ? 'good' : 'neutral'}>{now.status}</Pill>
          {now.budget_cents === null ? (
            <span className="text-muted">Its budget is set at another level.</span>
          ) : (
            <span className="text-muted">{money(now.budget_cents, currency)} a day</span>
          )}
        </p>
        <p>
          {now.status === 'Active' ? (
            <Button onClick={() => setWanted({ status: 'paused' })}>Pause</Button>
          ) : (
            <Button variant="primary" onClick={() => setWanted({ status: 'active' })}>
              Resume
            </Button>
          )}
        </p>
        {now.budget_cents === null ? null : (
          <form
            className="flex items-end gap-2"
            noValidate
            onSubmit={(event) => {
              event.preventDefault()
              if (fits) setWanted({ daily_budget_cents: cents })
            }}
          >
            <TextField
              label={`Daily budget in ${currency}`}
              inputMode="decimal"
              value={budget}
              onChange={(event) => setBudget(event.target.value)}
              error={budget && !fits ? 'At least 1.00' : undefined}
            />
            <Button type="submit" disabled={!fits || cents === now.budget_cents}>
              Change budget
            </Button>
          </form>
        )}
      </div>
      {wanted ? (
        <Confirm
          open
          onClose={() => setWanted(null)}
          title={wanted.status ? `${wanted.status === 'active' ? 'Resume' : 'Pause'} ${row.name}?` : `Change the budget of ${row.name}?`}
          action={wanted.status === 'active' ? 'Resume' : wanted.status ? 'Pause' : 'Change budget'}
          onConfirm={apply}
        >
          <Preview row={row} wanted={wanted} />
        </Confirm>
      ) : null}
    </Dialog>
  )
}

function Preview({ row, wanted }: { row: AdRow; wanted: Wanted }) {
  const asked = useCall('preview-ad-change', { level: row.level, object_id: row.id, ...wanted }, { retry: false, staleTime: 0, gcTime: 0 })
  if (asked.isPending) return <Skeleton className="h-10" />
  if (asked.isError) return <Alert title="Meta was not asked">{asked.error.message}</Alert>
  return (
    <ul className="flex flex-col gap-1">
      {asked.data.changes.map((each) => (
        <li key={each}>{each}.</li>
      ))}
    </ul>
  )
}
