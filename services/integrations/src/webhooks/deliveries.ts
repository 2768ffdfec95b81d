import type { Envelope, Input } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/api'
import { webhookPaused } from '@operon/contracts/integrations/events'
import { type WebhookEvent, webhookBody, webhookType } from '@operon/contracts/webhooks'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { addToLane } from '@operon/kit/lanes'
import type { KitDb } from '@operon/kit/schema'
import { inTransaction, publish } from '@operon/kit/tx'
import { type ExpressionBuilder, type Selectable, sql, type Transaction } from 'kysely'
import type { IntegrationsDb } from '../schema.ts'
import { beyondPlan, endpointOf } from './endpoints.ts'

type Call = Ctx<IntegrationsDb>
type Trx = Transaction<IntegrationsDb & KitDb>
type Delivery = Selectable<IntegrationsDb['webhook_deliveries']>

export const LANE = 'webhooks'
/** One try of one delivery. A try that is not the next one has been made before and changes nothing. */
export type Try = { delivery_id: string; attempt: number }

const [second, minute, hour] = [1000, 60_000, 3_600_000]
/** How long after each failed try the next one is made: eight tries within a day. */
export const RETRY_AFTER_MS = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 8 * hour, 8 * hour]
const PAUSED_AFTER_DAYS = 3
const MOST_REPLAYED = 1000

/** Beside the mark that the event was heard: a delivery for each endpoint of its owner that listens. */
export async function addDeliveries(trx: Trx, event: WebhookEvent, { id, at, user_id: userId, payload }: Envelope): Promise<void> {
  if (!userId) return
  const endpoints = await trx
    .selectFrom('webhook_endpoints')
    .select(['id', 'state'])
    .where('user_id', '=', userId)
    .where(sql<boolean>`${event.name} = any(events)`)
    .where('state', '<>', 'paused')
    .execute()
  if (!endpoints.length) return
  const beyond = await beyondPlan(trx as never, userId)
  for (const endpoint of endpoints) {
    const message = { message_id: messageId(id), type: webhookType(event.name), body: webhookBody(event, at, payload) }
    // Events that come while it is paused are kept to be replayed.
    if (endpoint.state === 'failing')
      await add(trx, userId, endpoint.id, { ...message, state: 'failed', error: 'The webhook was paused after days of failures' })
    else if (beyond.has(endpoint.id)) await add(trx, userId, endpoint.id, { ...message, state: 'failed', error: BEYOND })
    else await add(trx, userId, endpoint.id, message)
  }
}

const BEYOND = 'The plan includes fewer webhooks'
type Message = { message_id: string; type: string; body: string; state?: 'failed'; error?: string }

async function add(trx: Trx, userId: string, endpointId: string, message: Message): Promise<string> {
  const id = newId()
  const isWaiting = message.state !== 'failed'
  const added = await trx
    .insertInto('webhook_deliveries')
    .values({ id, user_id: userId, endpoint_id: endpointId, ...message, ...(isWaiting && { next_at: sql<Date>`now()` }) })
    .onConflict((conflict) => conflict.columns(['endpoint_id', 'message_id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (added && isWaiting) await addToLane(trx, LANE, userId, { delivery_id: id, attempt: 1 } satisfies Try)
  return id
}

const messageId = (id: string) => `msg_${id.replaceAll('-', '')}`

export async function listDeliveries(ctx: Call, { endpoint_id, state, limit, cursor }: Input<typeof api.listWebhookDeliveries>) {
  await endpointOf(ctx, endpoint_id)
  let query = ctx.db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('endpoint_id', '=', endpoint_id)
    .where('user_id', '=', signedIn(ctx).id)
  if (state) query = query.where('state', '=', state)
  if (cursor) query = query.where('id', '<', cursor)
  const rows = await query
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  return { deliveries: page.map(shown), cursor: rows.length > limit ? page.at(-1)!.id : null }
}

const shown = ({ user_id, endpoint_id, body, next_at, created_at, ...delivery }: Delivery) => ({
  ...delivery,
  next_at: next_at?.toISOString() ?? null,
  created_at: created_at.toISOString(),
})

/** The same messages under the same ids, from the first try on. */
type Chosen = Pick<Input<typeof api.webhookReplay>, 'delivery_id' | 'failed_since'>
function demandOne({ delivery_id, failed_since }: Chosen): void {
  if (!delivery_id === !failed_since)
    throw new DomainError('invalid', { message: 'Name one delivery, or the time since when they failed.' })
}
const chosenBy =
  ({ delivery_id, failed_since }: Chosen) =>
  (eb: ExpressionBuilder<IntegrationsDb, 'webhook_deliveries'>) =>
    delivery_id
      ? eb.and([eb('id', '=', delivery_id), eb('state', '<>', 'waiting')])
      : eb.and([eb('state', '=', 'failed'), eb('created_at', '>=', new Date(failed_since!))])

export async function countReplay(ctx: Call, { endpoint_id, ...chosen }: Input<typeof api.countWebhookReplay>) {
  demandOne(chosen)
  const { id, user_id, name, url } = await endpointOf(ctx, endpoint_id)
  const some = ctx.db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('endpoint_id', '=', id)
    .where('user_id', '=', user_id)
    .where(chosenBy(chosen))
    .limit(MOST_REPLAYED)
  const { deliveries } = await ctx.db
    .selectFrom(some.as('each'))
    .select(sql<number>`count(*)::int`.as('deliveries'))
    .executeTakeFirstOrThrow()
  return { name, url, deliveries }
}

export async function replay(ctx: Call, { endpoint_id, delivery_id, failed_since }: Input<typeof api.webhookReplay>) {
  demandOne({ delivery_id, failed_since })
  const endpoint = await activeEndpoint(ctx, endpoint_id)
  return inTransaction(ctx.db, async (trx) => {
    const chosen = trx
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('endpoint_id', '=', endpoint.id)
      .where('user_id', '=', endpoint.user_id)
      .where(chosenBy({ delivery_id, failed_since }))
      .orderBy('id')
      .limit(MOST_REPLAYED)
      .forUpdate()
    const again = await trx
      .updateTable('webhook_deliveries')
      .set({ state: 'waiting', attempts: 0, next_at: sql`now()`, error: null })
      .where('id', 'in', chosen)
      .returning('id')
      .execute()
    for (const { id } of again) await addToLane(trx, LANE, endpoint.user_id, { delivery_id: id, attempt: 1 } satisfies Try)
    if (delivery_id && !again.length && !(await isKnown(trx, endpoint.id, delivery_id))) throw new DomainError('not_found')
    return { replayed: again.length }
  })
}

const isKnown = async (trx: Trx, endpointId: string, id: string) =>
  (await trx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('id', '=', id)
    .where('endpoint_id', '=', endpointId)
    .executeTakeFirst()) !== undefined

export async function ping(ctx: Call, { endpoint_id }: Input<typeof api.webhookPing>) {
  const endpoint = await activeEndpoint(ctx, endpoint_id)
  const type = webhookType('webhook.ping')
  const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data: { endpoint_id } })
  const delivery_id = await inTransaction(ctx.db, (trx) =>
    add(trx, endpoint.user_id, endpoint_id, { message_id: messageId(newId()), type, body }),
  )
  return { delivery_id }
}

async function activeEndpoint(ctx: Call, id: string) {
  const endpoint = await endpointOf(ctx, id)
  if (endpoint.state !== 'active') throw new DomainError('webhook_paused')
  if ((await beyondPlan(ctx.db, endpoint.user_id)).has(id)) throw new DomainError('webhook_limit')
  return endpoint
}

export type Outcome = {
  ok: boolean
  status: number | null
  error: string | null
  duration_ms: number
  request_id: string
  answer: string | null
}

/** Records the result of a try and plans the next, or ends it after days of failing. Only the try that is due counts. */
export function settleTry(db: Call['db'], { delivery_id, attempt }: Try, { ok, ...told }: Outcome): Promise<void> {
  return inTransaction(db, async (trx) => {
    const afterMs = RETRY_AFTER_MS[attempt - 1]
    const isLast = ok || afterMs === undefined
    const delivery = await trx
      .updateTable('webhook_deliveries')
      .set({
        ...told,
        attempts: attempt,
        state: ok ? 'delivered' : isLast ? 'failed' : 'waiting',
        next_at: isLast ? null : sql<Date>`now() + ${afterMs} * interval '1 millisecond'`,
      })
      .where('id', '=', delivery_id)
      .where('state', '=', 'waiting')
      .where('attempts', '=', attempt - 1)
      .returning(['endpoint_id', 'user_id'])
      .executeTakeFirst()
    if (!delivery) return
    const endpoint = await trx
      .updateTable('webhook_endpoints')
      .set({ failing_since: ok ? null : sql<Date>`coalesce(failing_since, now())` })
      .where('id', '=', delivery.endpoint_id)
      .returning([
        'id',
        'user_id',
        'name',
        'failing_since',
        sql<boolean>`failing_since < now() - ${PAUSED_AFTER_DAYS} * interval '1 day'`.as('is_dead'),
      ])
      .executeTakeFirstOrThrow()
    if (!isLast) await addToLane(trx, LANE, delivery.user_id, { delivery_id, attempt: attempt + 1 } satisfies Try, { delayMs: afterMs })
    if (endpoint.is_dead) await pause(trx, endpoint)
  })
}

async function pause(
  trx: Trx,
  { id, user_id, name, failing_since }: { id: string; user_id: string; name: string; failing_since: Date | null },
) {
  const paused = await trx
    .updateTable('webhook_endpoints')
    .set({ state: 'failing' })
    .where('id', '=', id)
    .where('state', '=', 'active')
    .returning('id')
    .executeTakeFirst()
  if (paused) await publish(trx, webhookPaused, user_id, { endpoint_id: id, name, failing_since: failing_since!.toISOString() })
}
