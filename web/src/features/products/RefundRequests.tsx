import type { CallReply } from '@operon/contracts/calls'
import { refundReasons } from '@operon/contracts/marketplace/refund-rules'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { call } from '../../api/call.ts'
import { useLive } from '../../api/live.ts'
import { Button } from '../../ui/Button.tsx'
import { TextArea } from '../../ui/Field.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { moment, money } from '../../ui/format.ts'
import { ErrorState, Panel, Pill } from '../../ui/Panel.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { toast } from '../../ui/toast.tsx'
import { newKey } from './queries.ts'

type Request = CallReply<'list-refund-requests'>['requests'][number]
const states = {
  open: ['Waiting for you', 'warn'],
  accepted: ['Being paid back', 'info'],
  refunded: ['Refunded', 'neutral'],
  declined: ['Declined', 'neutral'],
} as const

/** Shown once a buyer has asked for the first refund. Without an answer the platform's rule decides. */
export function RefundRequests() {
  const queries = useQueryClient()
  const [deciding, setDeciding] = useState<{ request: Request; accept: boolean } | null>(null)
  const list = useInfiniteQuery({
    queryKey: ['list-refund-requests'],
    queryFn: ({ pageParam }) => call('list-refund-requests', pageParam ? { cursor: pageParam } : {}),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
  })
  const again = useCallback(() => void queries.invalidateQueries({ queryKey: ['list-refund-requests'] }), [queries])
  useLive('sales', again)
  const requests = list.data?.pages.flatMap((page) => page.requests) ?? []
  const reasons = list.data?.pages[0]?.reasons ?? []
  if (list.isError && !list.data)
    return (
      <Panel flush>
        <ErrorState title="Refund requests could not be loaded" error={list.error} retry={() => list.refetch()} />
      </Panel>
    )
  if (!requests.length) return null
  return (
    <Panel title="Refund requests" flush>
      <ul aria-label="Refund requests">
        {requests.map((request) => (
          <li key={request.id} className="flex flex-wrap items-start gap-x-6 gap-y-3 border-b border-line px-4 py-3 last:border-0">
            <div className="min-w-0 flex-1 basis-64">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
                <span className="min-w-0 break-words">{request.title}</span>
                <span className="tabular">{money(request.amount_cents, request.currency)}</span>
                <Pill tone={states[request.state][1]}>{states[request.state][0]}</Pill>
              </p>
              <p className="mt-0.5 text-13 break-words text-muted">
                {request.from}: {refundReasons[request.reason]}
              </p>
              {request.text ? <p className="mt-1 text-13 break-words whitespace-pre-line">{request.text}</p> : null}
              {request.state === 'open' ? (
                <p className="mt-1 text-12 text-faint">Without your answer by {moment(request.due_at)} the buyer is refunded.</p>
              ) : null}
            </div>
            {request.state === 'open' ? (
              <span className="flex gap-2">
                <Button onClick={() => setDeciding({ request, accept: false })}>Decline</Button>
                <Button variant="primary" onClick={() => setDeciding({ request, accept: true })}>
                  Refund
                </Button>
              </span>
            ) : null}
          </li>
        ))}
      </ul>
      {reasons.length > 1 ? (
        <p className="border-t border-line px-4 py-3 text-12 text-faint">
          Reasons so far: {reasons.map(({ reason, count }) => `${refundReasons[reason]} (${count})`).join(', ')}
        </p>
      ) : null}
      <ShowMore of={list} className="m-4" />
      {deciding ? <Decide {...deciding} onClose={() => setDeciding(null)} onDone={again} /> : null}
    </Panel>
  )
}

type DecideProps = { request: Request; accept: boolean; onClose: () => void; onDone: () => void }
function Decide({ request, accept, onClose, onDone }: DecideProps) {
  const amount = money(request.amount_cents, request.currency)
  async function decide(typed: (field: string) => string) {
    const given = { request_id: request.id, accept, text: typed('text') }
    const decided = await call('answer-refund-request', given, { idempotencyKey: newKey() })
    onDone()
    if (decided.request.state === 'declined') toast.success('The request was declined')
    else toast.success(`${amount} goes back to the buyer`, accept ? undefined : 'Nothing was downloaded, so the buyer is refunded.')
  }
  return (
    <FormDialog
      onClose={onClose}
      title={accept ? `Refund ${amount}?` : 'Decline the request?'}
      submit={accept ? `Refund ${amount}` : 'Decline'}
      danger={!accept}
      failed="Your answer was not sent"
      save={decide}
    >
      <p className="text-13 text-muted">
        {accept
          ? 'Everything that is left of the order goes back to the card that paid, and the buyer’s downloads end.'
          : 'The buyer keeps what they downloaded. If nothing of the order was downloaded yet, they are refunded all the same.'}
      </p>
      <TextArea label="Your answer to the buyer" name="text" maxLength={2000} data-first />
    </FormDialog>
  )
}
