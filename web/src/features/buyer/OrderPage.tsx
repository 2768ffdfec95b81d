import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router-dom'
import { ApiError } from '../../api/http.ts'
import { useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { BuyerFrame } from '../../shell/BuyerFrame.tsx'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { PageLoading } from '../../shell/states.tsx'
import { ButtonLink } from '../../ui/Button.tsx'
import { Busy } from '../../ui/Mark.tsx'
import { EmptyState, ErrorState } from '../../ui/Panel.tsx'
import { OrderView } from './OrderView.tsx'
import { keyOf, type OrderRef, useOrderCall } from './queries.ts'

/** By the link of the receipt: whoever has it sees this order and nothing else. */
export function OrderByLinkPage() {
  const { orderToken = '' } = useParams()
  const { status } = useSession()
  if (status === 'loading') return <PageLoading />
  return (
    <PublicLayout footer={false}>
      <div className="rail flex w-full flex-1 flex-col">
        <Shown of={{ token: orderToken }} />
      </div>
    </PublicLayout>
  )
}

export function OwnOrderPage() {
  const { orderId = '' } = useParams()
  return (
    <BuyerFrame>
      <Shown of={{ order_id: orderId }} />
    </BuyerFrame>
  )
}

function Shown({ of: ref }: { of: OrderRef }) {
  const ask = useOrderCall()
  const order = useQuery({
    queryKey: ['show-order', keyOf(ref)],
    queryFn: () => ask('show-order', ref),
    retry: (tries, error) => !(error instanceof ApiError && error.status === 404) && tries < 2,
    // Until the payment is confirmed the page looks by itself.
    refetchInterval: ({ state }) => (state.data?.state === 'open' || state.data?.state === 'paid' ? 700 : false),
  })
  if (order.error instanceof ApiError && (order.error.status === 404 || order.error.status === 400))
    return (
      <div className="py-14 md:px-3">
        <EmptyState title="Order not found" action={<ButtonLink to={paths.marketplace}>Browse the marketplace</ButtonLink>}>
          The link may be mistyped. Open it again from the email with your receipt.
        </EmptyState>
      </div>
    )
  if (order.isError && !order.data)
    return (
      <div className="py-14 md:px-3">
        <ErrorState title="The order could not be loaded" retry={() => order.refetch()}>
          {order.error.message} If you paid, your payment is safe.
        </ErrorState>
      </div>
    )
  if (!order.data) return <Waiting label="Loading the order" />
  return <OrderView order={order.data} of={ref} />
}

export function Waiting({ label }: { label: string }) {
  return (
    <div className="flex items-center gap-3 px-5 py-20 text-14 text-muted md:px-8">
      <span className="text-signal-text">
        <Busy label={label} />
      </span>
      {label}
    </div>
  )
}
