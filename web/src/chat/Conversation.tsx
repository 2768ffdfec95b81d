import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback } from 'react'
import { call } from '../api/call.ts'
import { useLive } from '../api/live.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Talk } from './Talk.tsx'

type Props = {
  id: string
  me: 'buyer' | 'seller'
  /** Read anew with each message, beside the conversation itself. */
  lists: readonly string[]
  onClose: () => void
  /** Above the messages, where they are about an order. */
  ofOrder?: (orderId: string) => ReactNode
}

/** The messages of a buyer and a seller, beside the list that it was opened from. Opening it marks it as read. */
export function Conversation({ id, me, lists, onClose, ofOrder }: Props) {
  const queries = useQueryClient()
  const shown = useQuery({ queryKey: ['show-thread', id], queryFn: () => call('show-thread', { thread_id: id }) })
  const names = lists.join()
  const again = useCallback(() => {
    void queries.invalidateQueries({ queryKey: ['show-thread', id] })
    for (const name of names.split(',')) void queries.invalidateQueries({ queryKey: [name] })
  }, [queries, id, names])
  useLive('messages', again)
  const thread = shown.data?.thread
  return (
    <Dialog
      open
      onClose={() => {
        again()
        onClose()
      }}
      side="right"
      title={thread?.from ?? 'Messages'}
      description={thread?.subject}
    >
      {thread?.order_id ? ofOrder?.(thread.order_id) : null}
      <Talk
        messages={shown.data?.messages}
        failed={shown.isError && !shown.data}
        retry={shown.refetch}
        me={me}
        other={thread?.from ?? (me === 'buyer' ? 'the seller' : 'the buyer')}
        attachTo={id}
        linkTo={(file_id) => call('thread-file', { thread_id: id, file_id })}
        send={async (text, file_ids) => {
          await call('answer-message', { thread_id: id, text, file_ids })
          again()
        }}
      />
    </Dialog>
  )
}
