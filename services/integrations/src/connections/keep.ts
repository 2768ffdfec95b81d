import type { AppId } from '@operon/contracts/integrations/apps'
import { connectionBroken, connectionChanged, revokeAccess } from '@operon/contracts/integrations/events'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import { enqueue, publish } from '@operon/kit/tx'
import type { Vault } from '@operon/kit/vault'
import { type Selectable, sql, type Transaction } from 'kysely'
import { appsOfVendor, definitionOf } from '../apps/all.ts'
import type { Held } from '../apps/app.ts'
import { vendors } from '../apps/vendors.ts'
import { canRead, isMailbox } from '../mail/wires.ts'
import type { IntegrationsDb } from '../schema.ts'

export type ConnectionRow = Selectable<IntegrationsDb['connections']>
export type Trx = Transaction<IntegrationsDb & KitDb>

export const seal = (vault: Vault, connectionId: string, held: Held) => vault.seal(JSON.stringify(held), contextOf(connectionId))
export const unseal = (vault: Vault, connectionId: string, sealed: string): Held => JSON.parse(vault.open(sealed, contextOf(connectionId)))
const contextOf = (connectionId: string) => `connections:${connectionId}`

/** The connections of one app or vendor of a person change one after another, until the transaction ends. */
export const oneAtATime = (trx: Trx, userId: string, of: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`connections ${userId} ${of}`}, 0))`.execute(trx)

/** Writes the row that the specification reads, and tells once when it changes: connected while any account of the app is. */
export async function showIntegration(trx: Trx, userId: string, app: AppId): Promise<void> {
  // Of two that end at once, the second must see that the first has.
  await oneAtATime(trx, userId, app)
  const { rows } = await sql<{ version: number; integration_status: 'connected' | 'disconnected' }>`
    with now_is as (
      select case when exists (select from connections where user_id = ${userId} and app = ${app} and state <> 'disconnected')
        then 'connected' else 'disconnected' end as status
    )
    insert into user_integrations as u (id, user_id, service_name, integration_status)
    select ${newId()}::uuid, ${userId}::uuid, ${app}, status from now_is
    on conflict (user_id, service_name) do update
      set integration_status = excluded.integration_status, updated_at = now(), version = u.version + 1
      where u.integration_status <> excluded.integration_status
    returning version, integration_status`.execute(trx)
  const changed = rows[0]
  if (changed)
    await publish(trx, connectionChanged, userId, { service_name: app, version: changed.version, status: changed.integration_status })
}

/** Ends a connection here; `revocations` keeps its token, as it is now, until the app has been told. */
export async function endConnection(trx: Trx, { id, user_id }: Pick<ConnectionRow, 'id' | 'user_id'>): Promise<boolean> {
  const row = await trx
    .selectFrom('connections')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .where('state', '<>', 'disconnected')
    .forUpdate()
    .executeTakeFirst()
  if (!row) return false
  await trx
    .updateTable('connections')
    .set({
      state: 'disconnected',
      failure: null,
      sealed: null,
      expires_at: null,
      refresh_at: null,
      lease_until: null,
      on_timelines: false,
      updated_at: sql`now()`,
    })
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .execute()
  for (const table of ['app_watches', 'ad_lists'] as const)
    await trx.deleteFrom(table).where('connection_id', '=', id).where('user_id', '=', user_id).execute()
  await keepToRevoke(trx, row, await isSharedThere(trx, row))
  return true
}

/** Whether another app of the same vendor still uses the account, so that revoking would end that one too. */
async function isSharedThere(trx: Trx, { id, user_id, app, account }: ConnectionRow): Promise<boolean> {
  const { vendor } = definitionOf(app)
  if (!vendor || !vendors[vendor].revokesAll) return false
  await oneAtATime(trx, user_id, vendor)
  const other = await trx
    .selectFrom('connections')
    .select('id')
    .where('user_id', '=', user_id)
    .where('app', 'in', appsOfVendor(vendor))
    .where('account', '=', account)
    .where('id', '<>', id)
    .where('state', '<>', 'disconnected')
    .executeTakeFirst()
  return other !== undefined
}

/** The token and the watches that are to end there. `shared`: the token itself goes on for another app. */
export async function keepToRevoke(
  trx: Trx,
  { id, generation, user_id, app, sealed, sandbox }: ConnectionRow,
  shared = false,
): Promise<void> {
  const watches = await trx.deleteFrom('app_hooks').where('connection_id', '=', id).returning(['remote', 'resource']).execute()
  const hooks = watches.filter(({ remote }) => remote)
  if (!sealed || (shared && !hooks.length)) return
  await trx
    .insertInto('revocations')
    .values({ id, generation, user_id, app, sealed, sandbox, hooks: JSON.stringify(hooks), hooks_only: shared })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await enqueue(trx, revokeAccess, { connection_id: id, generation })
}

/** The app does not take what we hold any more, and only its owner can mend that. Told once. */
export async function breakConnection(trx: Trx, { id, generation, user_id, app, account }: ConnectionRow, failure: string): Promise<void> {
  const broken = await trx
    .updateTable('connections')
    .set({ state: 'broken', failure, lease_until: null, checked_at: sql`now()`, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where('state', 'in', ['connected', 'degraded'])
    .returning('id')
    .executeTakeFirst()
  if (!broken) return
  const { rows } = await sql<{ rules: number; watches: number }>`
    select (select count(*)::int from ad_rules where connection_id = ${id} and user_id = ${user_id} and state = 'watching') as rules,
      (select count(*)::int from app_watches where connection_id = ${id} and user_id = ${user_id}) as watches`.execute(trx)
  const { rules, watches } = rows[0]!
  const told = { connection_id: id, service_name: app, account, version: generation }
  await publish(trx, connectionBroken, user_id, { ...told, ...(rules && { rules }), ...(watches && { watches }) })
}

export const shown = (row: ConnectionRow) => ({
  id: row.id,
  app: row.app,
  account: row.account,
  state: row.state,
  failure: row.failure,
  scopes: row.scopes,
  calls_per_minute: definitionOf(row.app).perMinute,
  last_call_at: row.last_call_at?.toISOString() ?? null,
  checked_at: row.checked_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  mailbox: isMailbox(row) ? { on_timelines: row.on_timelines, readable: canRead(row) } : null,
})
