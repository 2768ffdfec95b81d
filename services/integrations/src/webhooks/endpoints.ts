import type { Input } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/api'
import { PAST_DUE_GRACE_DAYS, type Tier, webhookEndpointsOf } from '@operon/contracts/plans'
import { webhookEvents } from '@operon/contracts/webhooks'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import type { Vault } from '@operon/kit/vault'
import { type Selectable, sql } from 'kysely'
import type { IntegrationsDb } from '../schema.ts'
import { newSecret, openSecret, sealSecret } from './signing.ts'

type Call = Ctx<IntegrationsDb>
type Endpoint = Selectable<IntegrationsDb['webhook_endpoints']>
const OLD_SECRET_HOURS = 24

export async function listEndpoints(ctx: Call) {
  const userId = signedIn(ctx).id
  const rows = await ctx.db.selectFrom('webhook_endpoints').selectAll().where('user_id', '=', userId).orderBy('created_at').execute()
  return {
    endpoints: rows.map(shown),
    limit: await limitOf(ctx.db, userId),
    events: webhookEvents().map(({ name, trigger: { title, description } }) => ({ name, title, description })),
  }
}

/** `loopback`: this machine's own addresses and plain http count, for developers. */
export async function createEndpoint(
  ctx: Call,
  { url, name, events }: Input<typeof api.webhookEndpointCreate>,
  { vault, loopback }: { vault: Vault; loopback: boolean },
) {
  const { id: userId, anonymous } = signedIn(ctx)
  if (anonymous) throw new DomainError('anonymous_no_calls')
  demandAddress(url, loopback)
  demandEvents(events)
  const [id, secret] = [newId(), newSecret()]
  const endpoint = await inTransaction(ctx.db, async (trx) => {
    // Two at once are counted one after the other.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks ${userId}`}, 0))`.execute(trx)
    const { count } = await trx
      .selectFrom('webhook_endpoints')
      .select(sql<number>`count(*)::int`.as('count'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
    if (count >= (await limitOf(trx, userId))) throw new DomainError('webhook_limit')
    return trx
      .insertInto('webhook_endpoints')
      .values({ id, user_id: userId, url, name, events: [...new Set(events)], sealed_secret: sealSecret(vault, id, secret) })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return { endpoint: shown(endpoint), secret }
}

export async function updateEndpoint(ctx: Call, { endpoint_id, name, events, paused }: Input<typeof api.webhookEndpointUpdate>) {
  if (events) demandEvents(events)
  const changes = {
    ...(name !== undefined && { name }),
    ...(events && { events: [...new Set(events)] }),
    ...(paused === true && { state: 'paused' as const }),
    // A fresh start: days of failing are counted anew.
    ...(paused === false && { state: 'active' as const, failing_since: null }),
  }
  if (!Object.keys(changes).length) {
    const same = await endpointOf(ctx, endpoint_id)
    return { endpoint: shown(same), before: stateOf(same) }
  }
  const changed = await ctx.db
    .updateTable('webhook_endpoints')
    .set(changes)
    .where('id', '=', endpoint_id)
    .where('user_id', '=', signedIn(ctx).id)
    .returningAll()
    .returning([
      sql<string>`old.name`.as('was_name'),
      sql<string[]>`old.events`.as('was_events'),
      sql<Endpoint['state']>`old.state`.as('was_state'),
    ])
    .executeTakeFirst()
  if (!changed) throw new DomainError('not_found')
  const { was_name, was_events, was_state, ...endpoint } = changed
  return { endpoint: shown(endpoint), before: stateOf({ name: was_name, events: was_events, state: was_state }) }
}

export async function restoreEndpoint(ctx: Call, { endpoint_id, before }: Input<typeof api.webhookEndpointRestore>) {
  const { endpoint } = await updateEndpoint(ctx, { endpoint_id, ...before })
  return { endpoint }
}

export async function showEndpoint(ctx: Call, { endpoint_id }: Input<typeof api.showWebhookEndpoint>) {
  const { name, url, state } = await endpointOf(ctx, endpoint_id)
  const { waiting } = await ctx.db
    .selectFrom('webhook_deliveries')
    .select(sql<number>`count(*)::int`.as('waiting'))
    .where('endpoint_id', '=', endpoint_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return { name, url, state, waiting }
}

const stateOf = ({ name, events, state }: Pick<Endpoint, 'name' | 'events' | 'state'>) => ({ name, events, paused: state === 'paused' })

/** The log goes with it; what waits in the lane finds nothing to send. */
export async function deleteEndpoint(ctx: Call, { endpoint_id }: Input<typeof api.webhookEndpointDelete>) {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('webhook_endpoints')
    .where('id', '=', endpoint_id)
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirstOrThrow()
  if (!numDeletedRows) throw new DomainError('not_found')
  return { deleted: true }
}

export async function rotateSecret(ctx: Call, { endpoint_id }: Input<typeof api.webhookSecretRotate>, vault: Vault) {
  const secret = newSecret()
  const endpoint = await ctx.db
    .updateTable('webhook_endpoints')
    .set({
      sealed_secret: sealSecret(vault, endpoint_id, secret),
      sealed_old_secret: sql`sealed_secret`,
      old_secret_until: sql`now() + ${OLD_SECRET_HOURS} * interval '1 hour'`,
    })
    .where('id', '=', endpoint_id)
    .where('user_id', '=', signedIn(ctx).id)
    .returningAll()
    .executeTakeFirst()
  if (!endpoint) throw new DomainError('not_found')
  return { endpoint: shown(endpoint), secret }
}

export async function endpointOf(ctx: Call, id: string): Promise<Endpoint> {
  const endpoint = await ctx.db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirst()
  if (!endpoint) throw new DomainError('not_found')
  return endpoint
}

/** The secrets that sign now: the newest first, and the one before while both are good. */
export const secretsOf = (vault: Vault, { id, sealed_secret, sealed_old_secret, old_secret_until }: Endpoint, at: Date): string[] =>
  [sealed_secret, ...(sealed_old_secret && old_secret_until && old_secret_until > at ? [sealed_old_secret] : [])].map((sealed) =>
    openSecret(vault, id, sealed),
  )

const shown = ({ id, url, name, events, state, failing_since, old_secret_until, created_at }: Endpoint) => ({
  id,
  url,
  name,
  events,
  state,
  failing_since: failing_since?.toISOString() ?? null,
  old_secret_until: old_secret_until?.toISOString() ?? null,
  created_at: created_at.toISOString(),
})

/** The names behind an address are looked at when it is called; what an address says of itself is refused here. */
function demandAddress(address: string, loopback: boolean): void {
  const url = new URL(address)
  const isLocal = loopback && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.username || url.password || (url.protocol !== 'https:' && !(isLocal && url.protocol === 'http:')))
    throw new DomainError('webhook_address')
}

function demandEvents(names: string[]): void {
  const known = new Set<string>(webhookEvents().map(({ name }) => name))
  if (names.some((name) => !known.has(name))) throw new DomainError('webhook_event')
}

/** Those beyond what the plan includes now, the newest: they stay, and nothing is sent to them. */
export async function beyondPlan(db: Call['db'], userId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .offset(await limitOf(db, userId))
    .execute()
  return new Set(rows.map(({ id }) => id))
}

async function limitOf(db: Call['db'], userId: string): Promise<number> {
  const plan = await db
    .selectFrom('entitlements')
    .select('tier')
    .where('user_id', '=', userId)
    .where(({ eb, or }) =>
      or([eb('period_end', 'is', null), eb('period_end', '>', sql<Date>`now() - ${PAST_DUE_GRACE_DAYS} * interval '1 day'`)]),
    )
    .executeTakeFirst()
  return webhookEndpointsOf((plan?.tier as Tier | undefined) ?? 'none')
}
