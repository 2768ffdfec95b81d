import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Input } from '@operon/contracts/contract'
import type * as api from '@operon/contracts/integrations/calendars'
import { calendarChanged } from '@operon/contracts/integrations/events'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { inTransaction, publish } from '@operon/kit/tx'
import { type Selectable, sql } from 'kysely'
import { definitionOf } from '../apps/all.ts'
import type { Held } from '../apps/app.ts'
import type { Place, Places } from '../apps/place.ts'
import { calendarOf } from '../calendars/events.ts'
import type { Watching } from '../calendars/wire.ts'
import { wireOf } from '../calendars/wires.ts'
import type { Config } from '../config.ts'
import { type CallApp, sendTo } from '../connections/call.ts'
import { takeDue } from '../connections/due.ts'
import type { ConnectionRow } from '../connections/keep.ts'
import type { IntegrationsDb } from '../schema.ts'

type Call = Ctx<IntegrationsDb>
type Rt = Runtime<IntegrationsDb, Config>
export type HookRow = Selectable<IntegrationsDb['app_hooks']>
export type Hooks = { rt: Pick<Rt, 'db' | 'vault' | 'kit' | 'config' | 'log'>; places: Places; call: CallApp }

const KIND = 'calendar'
const BATCH = 100
const AT_ONCE = 8
/** A sweep that dies is followed after this long: far more than its vendors take. */
const SWEEP_SECONDS = 300
/** Changes that come this close to each other are told as one. */
const QUIET_SECONDS = 10

/** Not kept anywhere: it follows from the id and the fleet's key. */
export const secretOf = ({ vault }: Hooks['rt'], id: string) =>
  createHmac('sha256', vault.derive('app-hooks')).update(id).digest('base64url')
export function isSecretOf(rt: Hooks['rt'], id: string, given: unknown): boolean {
  const [expected, shown] = [Buffer.from(secretOf(rt, id)), Buffer.from(String(given ?? ''))]
  return expected.length === shown.length && timingSafeEqual(expected, shown)
}

const addressOf = ({ config, kit }: Hooks['rt'], id: string) =>
  `${(config.WEBHOOK_BASE_URL ?? kit.PUBLIC_URL).replace(/\/$/, '')}/webhooks/apps/${id}`

/** Vendors call public https addresses alone; the stand-in calls any. */
const canReach = (hooks: Hooks, row: ConnectionRow) => row.sandbox || addressOf(hooks.rt, '').startsWith('https://')

export async function watchCalendar(ctx: Call, { connection_id }: Input<typeof api.watchCalendar>, hooks: Hooks) {
  const { row, wire } = await calendarOf(ctx, connection_id)
  if (!wire.watching || !canReach(hooks, row)) return { told: false, until: null }
  const id = newId()
  await ctx.db
    .insertInto('app_hooks')
    .values({ id, user_id: row.user_id, connection_id: row.id, kind: KIND })
    .onConflict((conflict) => conflict.columns(['connection_id', 'kind']).doNothing())
    .execute()
  const mine = await claim(ctx.db, row.id)
  if (mine) return { told: true, until: (await renew(hooks, row, wire.watching, mine)).toISOString() }
  const known = await ctx.db
    .selectFrom('app_hooks')
    .select('until')
    .where('connection_id', '=', row.id)
    .where('kind', '=', KIND)
    .executeTakeFirst()
  return { told: true, until: known?.until?.toISOString() ?? null }
}

/** One caller at a time asks the vendor, and one that dies is followed after a minute. */
const claim = (db: Call['db'], connectionId: string): Promise<HookRow | undefined> =>
  db
    .updateTable('app_hooks')
    .set({ renew_at: sql`now() + interval '1 minute'` })
    .where('connection_id', '=', connectionId)
    .where('kind', '=', KIND)
    .where('renew_at', '<=', sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst()

/** A new watch, then the end of the older one: vendors do not lengthen what they gave. */
async function renew({ rt, call }: Hooks, row: ConnectionRow, wire: Watching, hook: HookRow): Promise<Date> {
  const asked = { id: newId(), address: addressOf(rt, hook.id), secret: secretOf(rt, hook.id) }
  const told = wire.watched(await call(row, () => wire.watch(asked), { action: 'watch-calendar', effect: 'changes' }))
  await rt.db
    .updateTable('app_hooks')
    .set({
      remote: told.remote,
      resource: told.resource,
      until: told.until,
      // At three quarters of its life.
      renew_at: sql`now() + greatest(interval '1 minute', (${told.until}::timestamptz - now()) * 0.75)`,
    })
    .where('id', '=', hook.id)
    .execute()
  const before = hook.remote
  if (before)
    await call(row, () => wire.unwatch({ remote: before, resource: hook.resource }), { action: 'stop-watch', effect: 'changes' }).catch(
      () => {},
    )
  return told.until
}

export async function unwatchCalendar(ctx: Call, { connection_id }: Input<typeof api.unwatchCalendar>, { call }: Hooks) {
  const { row, wire } = await calendarOf(ctx, connection_id)
  const [hook] = await ctx.db
    .deleteFrom('app_hooks')
    .where('connection_id', '=', row.id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('kind', '=', KIND)
    .returningAll()
    .execute()
  const remote = hook?.remote
  const { watching } = wire
  if (remote && watching)
    await call(row, () => watching.unwatch({ remote, resource: hook.resource }), { action: 'stop-watch', effect: 'changes' }).catch(ended)
  return { stopped: hook !== undefined }
}
/** One that the vendor does not know any more has ended, too. */
function ended(error: unknown) {
  if (!(error instanceof DomainError && error.code === 'app_refused')) throw error
}

/** Of a connection that has ended, with the token that it had. */
export async function stopThere(
  { places, log }: Pick<Hooks, 'places'> & Pick<Rt, 'log'>,
  app: ConnectionRow['app'],
  held: Held,
  place: Place,
  hooks: unknown,
) {
  const wire = wireOf(app)?.watching
  if (!wire || !Array.isArray(hooks)) return
  for (const { remote, resource } of hooks as { remote: string; resource: string | null }[])
    await sendTo(places, place, definitionOf(app), held, wire.unwatch({ remote, resource })).catch((err: unknown) =>
      log.warn({ err, app }, 'the watch of an ended connection could not be stopped; the app keeps sending until it expires'),
    )
}

/** Told at once, then at most every ten seconds; what comes between is told by the sweep. */
export async function tell(db: Call['db'], hook: Pick<HookRow, 'id'>): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { rows } = await sql<{ user_id: string; connection_id: string; app: string; now_told: boolean }>`
      update app_hooks h set told_at = case when quiet then now() else told_at end, again = not quiet
      from (select id, coalesce(told_at < now() - ${QUIET_SECONDS} * interval '1 second', true) as quiet from app_hooks where id = ${hook.id} for update) as was,
        connections c
      where h.id = was.id and c.id = h.connection_id and c.state <> 'disconnected'
      returning h.user_id, h.connection_id, c.app, was.quiet as now_told`.execute(trx)
    const [told] = rows
    if (told?.now_told)
      await publish(trx as never, calendarChanged, told.user_id, { connection_id: told.connection_id, service_name: told.app })
  })
}

export async function sweepHooks(hooks: Hooks): Promise<void> {
  const { db, log } = hooks.rt
  const again = await db
    .selectFrom('app_hooks')
    .select('id')
    .where('again', '=', true)
    .where('told_at', '<', sql<Date>`now() - ${QUIET_SECONDS} * interval '1 second'`)
    .limit(BATCH)
    .execute()
  for (const hook of again) await tell(db, hook)
  const due = await takeDue(db, 'app_hooks', { most: BATCH, againSeconds: SWEEP_SECONDS })
  const left = [...due]
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, left.length) }, async () => {
      for (let hook = left.shift(); hook; hook = left.shift()) {
        const row = await db.selectFrom('connections').selectAll().where('id', '=', hook.connection_id).executeTakeFirst()
        const wire = row && wireOf(row.app)?.watching
        if (wire)
          await renew(hooks, row, wire, hook).catch((err: unknown) => {
            if (!(err instanceof DomainError)) log.warn({ err }, 'a calendar watch could not be renewed, will try again in five minutes')
          })
      }
    }),
  )
}
