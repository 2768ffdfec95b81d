import type { CallArgs, CallReply } from '@operon/contracts/calls'
import type { PublicName } from '../../api/call.ts'
import { call, callPublic } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'

export type Order = CallReply<'show-order'>
export type Line = Order['lines'][number]

/** An order by its link, or as the buyer's own. */
export type OrderRef = { token: string } | { order_id: string }
export const keyOf = (ref: OrderRef) => ('token' in ref ? ref.token : ref.order_id)

/** As the person where there is one: an order by its link can be anybody's. */
export function useOrderCall() {
  const { user } = useSession()
  return <N extends PublicName>(name: N, args: CallArgs<N>, options?: { idempotencyKey?: string }): Promise<CallReply<N>> =>
    user ? call(name, ...([args, options] as never)) : callPublic(name, ...([args, options] as never))
}
