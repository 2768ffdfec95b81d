import { useCallback } from 'react'
import { Link } from 'react-router-dom'
import { useCall } from '../../api/call.ts'
import { useLive } from '../../api/live.ts'
import { useSession } from '../../api/session.ts'
import { sampleMarketplace } from '../../content/samples.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Stat, StatRow, Table } from '../../ui/Data.tsx'
import { money } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel, SamplePill, Skeleton } from '../../ui/Panel.tsx'

/** The totals, from the rows. Until there is anything they are samples, and say so. */
export function Overview({ onAdd }: { onAdd: () => void }) {
  const { user } = useSession()
  const overview = useCall('marketplace-overview', {}, { key: ['marketplace-overview', user!.id] })
  const { refetch } = overview
  useLive(
    'sales',
    useCallback(() => void refetch(), [refetch]),
  )
  if (overview.isError)
    return (
      <Panel flush className="mt-5">
        <ErrorState title="Your sales could not be loaded" error={overview.error} retry={() => refetch()} />
      </Panel>
    )
  const { data } = overview
  const sampled = data && !data.started
  const shown = sampled ? sampleMarketplace : data
  const [first, ...others] = shown?.revenue ?? []
  return (
    <div className="flex flex-col gap-6 pt-5">
      <section aria-labelledby="selling">
        <h2 id="selling" className="mb-3 flex min-h-6 items-center gap-2 text-16 font-semibold">
          Sales so far
          {sampled ? <SamplePill /> : null}
        </h2>
        <StatRow>
          <Stat label="Total Sales" value={shown?.sales.toLocaleString('en-US')} loading={!shown} />
          <Stat
            label="Revenue"
            value={money(first?.amount_cents ?? 0, first?.currency)}
            note={others.map(({ amount_cents, currency }) => money(amount_cents, currency)).join(', ') || undefined}
            loading={!shown}
          />
          <Stat label="Active Products" value={shown?.active_products.toLocaleString('en-US')} loading={!shown} />
          <Stat label="Pending Messages" value={shown?.unread_messages.toLocaleString('en-US')} loading={!shown} />
        </StatRow>
        <p className="mt-2 text-12 text-faint">Revenue is what buyers paid without tax, less refunds. You keep 80% of it.</p>
      </section>
      <Panel title="Best sellers" flush>
        {!data ? <Skeleton className="m-4 h-24" /> : null}
        {data?.best.length ? (
          <Table label="Best sellers" head={['Product', 'Price', 'Sales']} figures>
            {data.best.map((product) => (
              <tr key={product.id}>
                <td>
                  <Link to={paths.editProduct(product.id)} className="font-medium hover:underline">
                    {product.name}
                  </Link>
                </td>
                <td className="font-mono text-12 tabular">{money(product.price_cents, product.currency)}</td>
                <td className="font-mono text-12 tabular">{product.sales.toLocaleString('en-US')}</td>
              </tr>
            ))}
          </Table>
        ) : data ? (
          <EmptyState
            compact
            title={data.active_products ? 'Nothing sold yet' : 'Nothing on sale yet'}
            action={data.active_products ? null : <Button onClick={onAdd}>New product</Button>}
          >
            Products that were bought stand here, the most sold first.
          </EmptyState>
        ) : null}
      </Panel>
    </div>
  )
}
