import type { CallReply } from '@operon/contracts/calls'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { DAY_MS, moment } from '../../ui/format.ts'
import { Asked, EmptyState, Pill } from '../../ui/Panel.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import type { Endpoint } from './Webhooks.tsx'

type Delivery = CallReply<'list-webhook-deliveries'>['deliveries'][number]
const KEPT_DAYS = 30

/** Deliveries to one endpoint, and a button that sends each again. */
export function WebhookLog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const queries = useQueryClient()
  const queryKey = ['webhook-deliveries', endpoint.id]
  const [busy, setBusy] = useState(false)
  const log = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      call('list-webhook-deliveries', { endpoint_id: endpoint.id, ...(pageParam ? { cursor: pageParam } : {}) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
    // A delivery that is on its way is seen to arrive.
    refetchInterval: ({ state }) => (state.data?.pages[0]?.deliveries.some(({ state }) => state === 'waiting') ? 3000 : false),
  })
  const deliveries = log.data?.pages.flatMap((page) => page.deliveries) ?? []

  async function run(work: (idempotencyKey: string) => Promise<string>) {
    setBusy(true)
    await attempt('Nothing was sent', async () => {
      toast.success(await work(crypto.randomUUID()))
      await queries.invalidateQueries({ queryKey })
    })
    setBusy(false)
  }
  const replay = (which: { delivery_id: string } | { failed_since: string }) =>
    run(async (idempotencyKey) => {
      const { replayed } = await call('webhook-replay', { endpoint_id: endpoint.id, ...which }, { idempotencyKey })
      return replayed === 1 ? '1 delivery is sent again' : `${replayed} deliveries are sent again`
    })
  const ping = () =>
    run(async (idempotencyKey) => {
      await call('webhook-ping', { endpoint_id: endpoint.id }, { idempotencyKey })
      return 'Test event queued. The log shows how it went'
    })

  return (
    <Dialog open onClose={onClose} side="right" title={`Log of ${endpoint.name}`} description="Deliveries of the last 30 days.">
      <div className="mb-4 flex flex-wrap gap-2">
        <Button onClick={ping} disabled={busy || endpoint.state !== 'active'}>
          Send a test event
        </Button>
        <Button
          onClick={() => replay({ failed_since: new Date(Date.now() - KEPT_DAYS * DAY_MS).toISOString() })}
          disabled={busy || endpoint.state !== 'active' || !deliveries.some(({ state }) => state === 'failed')}
        >
          Replay all that failed
        </Button>
      </div>
      <Asked query={log} skeleton="h-28" failed="The log could not be loaded" />
      {log.data && !deliveries.length ? (
        <EmptyState compact title="Nothing sent yet">
          Send a test event to see whether your server answers.
        </EmptyState>
      ) : null}
      <ol className="divide-y divide-line text-13">
        {deliveries.map((delivery) => (
          <li key={delivery.id} className="flex flex-col gap-1 py-3">
            <span className="flex flex-wrap items-center justify-between gap-2">
              <span className="min-w-0 break-all font-mono text-12 text-text">{delivery.type}</span>
              <Outcome delivery={delivery} />
            </span>
            <span className="text-12 text-faint">
              {moment(delivery.created_at)} · {delivery.attempts === 1 ? '1 try' : `${delivery.attempts} tries`}
              {delivery.duration_ms === null ? '' : ` · ${delivery.duration_ms} ms`}
              {delivery.next_at && delivery.attempts ? ` · next try ${moment(delivery.next_at)}` : ''}
            </span>
            {delivery.error ? <span className="text-12 text-bad">{delivery.error}</span> : null}
            <span className="flex items-start justify-between gap-3">
              <details className="min-w-0 flex-1">
                <summary className="min-h-6 cursor-pointer text-12 text-muted">Details</summary>
                <dl className="mt-1 flex flex-col gap-1 text-12 text-muted [&_dd]:font-mono [&_dd]:break-all">
                  <dt>webhook-id</dt>
                  <dd>{delivery.message_id}</dd>
                  {delivery.request_id ? (
                    <>
                      <dt>x-request-id</dt>
                      <dd>{delivery.request_id}</dd>
                    </>
                  ) : null}
                  <dt>Answer</dt>
                  <dd>{delivery.answer || 'Nothing'}</dd>
                </dl>
              </details>
              {delivery.state === 'waiting' ? null : (
                <Button
                  variant="ghost"
                  disabled={busy || endpoint.state !== 'active'}
                  aria-label={`Replay ${delivery.type} of ${moment(delivery.created_at)}`}
                  onClick={() => replay({ delivery_id: delivery.id })}
                >
                  Replay
                </Button>
              )}
            </span>
          </li>
        ))}
      </ol>
      <ShowMore of={log} variant="ghost">
        Show older deliveries
      </ShowMore>
    </Dialog>
  )
}

function Outcome({ delivery: { state, status } }: { delivery: Delivery }) {
  if (state === 'delivered') return <Pill tone="good">{status ?? 'Delivered'}</Pill>
  if (state === 'failed') return <Pill tone="bad">{status ?? 'Failed'}</Pill>
  return <Pill tone={status === null ? 'neutral' : 'warn'}>{status === null ? 'Waiting' : `${status}, will retry`}</Pill>
}
