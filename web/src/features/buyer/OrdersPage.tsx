import { Link } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { BuyerFrame, BuyerHead } from '../../shell/BuyerFrame.tsx'
import { ButtonLink } from '../../ui/Button.tsx'
import { day, money } from '../../ui/format.ts'
import { EmptyState, Pill } from '../../ui/Panel.tsx'
import { Pages } from './Pages.tsx'
import { StatePill } from './StatePill.tsx'

export function OrdersPage() {
  return (
    <BuyerFrame>
      <BuyerHead title="Orders">Download again, get updates, write to the seller, or ask for a refund.</BuyerHead>
      <Pages
        name="my-orders"
        failed="Your orders could not be loaded"
        read={async (cursor) => {
          const { orders, cursor: next } = await call('my-orders', cursor ? { cursor } : {})
          return { rows: orders, cursor: next }
        }}
        empty={
          <EmptyState
            title="No orders yet"
            action={
              <ButtonLink to={paths.marketplace} variant="primary">
                Browse the marketplace
              </ButtonLink>
            }
          >
            Everything you buy appears here. Orders you made as a guest appear once you confirm the address you used.
          </EmptyState>
        }
      >
        {(orders) => (
          <ul aria-label="Orders" className="border-t border-line">
            {orders.map((order) => (
              <li key={order.id} className="border-b border-line">
                <Link
                  to={paths.buyerOrder(order.id)}
                  className="flex flex-wrap items-center gap-x-6 gap-y-1 px-5 py-4 outline-offset-[-2px] hover:bg-panel md:px-8"
                >
                  <span className="min-w-0 flex-1 basis-60">
                    <span className="block text-16 font-semibold break-words">{order.title}</span>
                    <span className="text-13 text-muted">
                      {order.seller}, {day(order.at)}
                    </span>
                  </span>
                  {order.update ? <Pill tone="signal">Update</Pill> : null}
                  <StatePill state={order.state} />
                  <span className="w-20 text-right text-14 tabular">{money(order.amount_cents, order.currency)}</span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Pages>
    </BuyerFrame>
  )
}
