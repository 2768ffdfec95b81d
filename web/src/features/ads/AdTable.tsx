import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Table } from '../../ui/Data.tsx'
import { Options } from '../../ui/Field.tsx'
import { money } from '../../ui/format.ts'
import { Asked, EmptyState, Panel, Pill } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'
import { ChangeDialog } from './ChangeDialog.tsx'
import { Filters } from './Filters.tsx'
import { type AdRow, type Level, type Span, useAds } from './queries.ts'
import { Rules } from './Rules.tsx'

const names = { campaign: 'campaigns', adset: 'ad sets', ad: 'ads' } as const
const heads = ['Budget a day', 'Spent', 'Impressions', 'Clicks', 'CTR', 'CPC', 'Conversions', 'ROAS']
type Props = { level: Level; days: Span; account: string; change: (values: Record<string, string>) => void }

export function AdTable({ level, days, account, change }: Props) {
  const queries = useQueryClient()
  const asked = useAds(level, days, account)
  const [refreshing, setRefreshing] = useState(false)
  const [opened, setOpened] = useState<AdRow | null>(null)
  const { data } = asked
  async function refresh() {
    setRefreshing(true)
    await attempt('The figures were not fetched', async () => {
      const fresh = await call('list-ads', { level, days, refresh: true, ...(account && { account_id: account }) })
      queries.setQueryData(['meta-ads', 'list', level, days, account], fresh)
    })
    setRefreshing(false)
  }
  return (
    <div className="flex flex-col gap-4 pt-6">
      <Filters days={days} change={change} fetchedAt={data?.fetched_at} onRefresh={refresh} busy={refreshing || asked.isFetching}>
        {data && data.accounts.length > 1 ? (
          <select
            aria-label="Ads account"
            value={data.account_id ?? ''}
            onChange={(event) => change({ account: event.target.value })}
            className="h-8 rounded-control border border-control bg-page px-2 text-13 max-md:h-11"
          >
            <Options of={data.accounts.map(({ id, name }) => [id, name])} />
          </select>
        ) : null}
      </Filters>
      <Panel flush>
        <Asked query={asked} skeleton="m-4 h-40" failed={`Your ${names[level]} could not be loaded`} />
        {data && !data.account_id ? (
          <EmptyState title="This Meta account has no ads account">Create one in Meta Business Suite, then fetch again.</EmptyState>
        ) : data && !data.rows.length ? (
          <EmptyState
            title={`No ${names[level]} yet`}
            action={
              <Button variant="primary" onClick={() => change({ tab: 'generator' })}>
                Write an ad
              </Button>
            }
          >
            Write one with the AI Generator and create it here, paused.
          </EmptyState>
        ) : null}
        {data?.rows.length ? (
          <Table label={names[level]} figures head={['Name', ...heads]}>
            {data.rows.map((row) => (
              <Row key={row.id} row={row} currency={data.currency} onOpen={() => setOpened(row)} />
            ))}
          </Table>
        ) : null}
      </Panel>
      {level === 'campaign' && data?.account_id ? <Rules campaigns={data.rows} currency={data.currency} /> : null}
      {opened && data ? <ChangeDialog row={opened} currency={data.currency} onClose={() => setOpened(null)} /> : null}
    </div>
  )
}

function Row({ row, currency, onOpen }: { row: AdRow; currency: string; onOpen: () => void }) {
  const figure = (value: string) => <td className="font-mono text-12 whitespace-nowrap tabular">{value}</td>
  const count = (value: number) => value.toLocaleString('en-US')
  return (
    <tr className="cursor-pointer align-baseline hover:bg-raised" onClick={onOpen}>
      <td className="min-w-44">
        <span className="flex flex-wrap items-baseline gap-2">
          <button type="button" className="text-left font-medium break-words max-md:min-h-6" onClick={onOpen}>
            {row.name}
          </button>
          <Pill tone={row.status === 'Active' ? 'good' : 'neutral'}>{row.status}</Pill>
        </span>
      </td>
      {figure(row.budget_cents === null ? '–' : money(row.budget_cents, currency))}
      {figure(money(row.spent_cents, currency))}
      {figure(count(row.impressions))}
      {figure(count(row.clicks))}
      {figure(row.ctr === null ? '–' : `${row.ctr.toFixed(2)}%`)}
      {figure(row.cpc_cents === null ? '–' : money(Math.round(row.cpc_cents), currency))}
      {figure(count(row.conversions))}
      {figure(row.roas === null ? '–' : `${row.roas.toFixed(1)}×`)}
    </tr>
  )
}
