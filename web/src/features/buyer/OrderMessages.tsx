import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Talk } from '../../chat/Talk.tsx'
import { keyOf, type OrderRef, useOrderCall } from './queries.ts'

/** The messages about an order: with its link, or signed in. */
export function OrderMessages({ of: ref, seller }: { of: OrderRef; seller: string }) {
  const ask = useOrderCall()
  const queries = useQueryClient()
  const queryKey = ['order-messages', keyOf(ref)]
  const { data, isError, refetch } = useQuery({ queryKey, queryFn: () => ask('order-messages', ref), refetchInterval: 20_000 })
  return (
    <section aria-labelledby="messages" className="px-5 py-7 md:px-8">
      <h2 id="messages" className="text-16 font-semibold">
        Messages with {seller}
      </h2>
      <p className="mt-1 text-13 text-muted">They get what you write by email too. Answers show here.</p>
      <Talk
        messages={data?.messages}
        failed={isError && !data}
        retry={refetch}
        me="buyer"
        other={seller}
        threadId={data?.thread_id ?? null}
        send={async (text) => {
          await ask('message-seller', { ...ref, text })
          await queries.invalidateQueries({ queryKey })
        }}
      />
    </section>
  )
}
