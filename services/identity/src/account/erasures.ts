import type { Envelope, Input } from '@operon/contracts/contract'
import { type accountErasures, ERASE_WITHIN_DAYS, type Erased, type Erasing, erasing, userErased } from '@operon/contracts/erasure'
import * as identity from '@operon/contracts/identity/events'
import { DAY_MS, now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import { z } from 'zod'
import type { AuthCtx, Deps } from '../deps.ts'
import { audit } from '../users/audit.ts'
import type { Trx } from '../users/users.ts'

const ASK_AT_ONCE = 200
const LISTED = 500

/** The services that have to erase a person, and by when: written in the transaction of the deletion. */
export async function expectErasures(trx: Trx, userId: string, services: Erasing[]): Promise<void> {
  const due_at = new Date(now() + ERASE_WITHIN_DAYS * DAY_MS)
  if (!services.length) return
  await trx
    .insertInto('erasures')
    .values(services.map((service) => ({ user_id: userId, service, due_at })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export function erasureConsumers({ rt }: Deps): void {
  for (const service of erasing) rt.on(userErased(service), `note-${service}`, (trx, event) => noteErased(trx as Trx, service, event))
}

/** The first answer stands: a service that is asked again has nothing left to tell of. */
async function noteErased(trx: Trx, service: Erasing, { user_id: userId, at, payload }: Envelope<Erased>): Promise<void> {
  if (!userId) return
  await trx
    .updateTable('erasures')
    .set({ erased_at: new Date(at), report: JSON.stringify(payload) })
    .where('user_id', '=', userId)
    .where('service', '=', service)
    .where('erased_at', 'is', null)
    .execute()
}

/** Asks those who have not answered again, once a day, and says aloud when the time is up. */
export async function chaseErasures(ctx: AuthCtx): Promise<void> {
  await inTransaction(ctx.db, async (trx: Trx) => {
    const silent = await trx
      .updateTable('erasures')
      .set({ last_asked_at: new Date(now()) })
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('user_id', 'service'),
          'in',
          selectFrom('erasures')
            .select(['user_id', 'service'])
            .where('erased_at', 'is', null)
            .where(expected(ctx))
            .where('last_asked_at', '<', new Date(now() - DAY_MS))
            .orderBy('last_asked_at')
            .limit(ASK_AT_ONCE)
            .forUpdate()
            .skipLocked()
            .$asTuple('user_id', 'service'),
        ),
      )
      .returning(['user_id', sql<number>`(select version from users where users.id = erasures.user_id)`.as('version')])
      .execute()
    const versions = new Map(silent.map(({ user_id, version }) => [user_id, version]))
    for (const [userId, version] of versions) await publish(trx, identity.userDeleted, userId, { version: version ?? 0 })
  })
  const { rt } = ctx.deps
  const { late } = await measureErasures(ctx)
  for (const { service, overdue } of late)
    rt.log.error({ who: service, overdue }, `${service} has not erased what it holds of deleted accounts within ${ERASE_WITHIN_DAYS} days`)
}

export async function measureErasures(ctx: AuthCtx) {
  const { metrics } = ctx.deps.rt
  const { open, late } = await countOpen(ctx)
  metrics.lag.set({ service: 'identity', what: 'erasures open' }, open)
  metrics.lag.set(
    { service: 'identity', what: 'erasures overdue' },
    late.reduce((sum, { overdue }) => sum + overdue, 0),
  )
  return { open, late }
}

/** For staff and operators: which deleted accounts are still known to whom. */
export async function listErasures(ctx: AuthCtx, { user_id: userId, only, cursor }: Input<typeof accountErasures>) {
  if (ctx.actor.kind === 'user') {
    const { id } = ctx.actor
    await inTransaction(ctx.db, (trx: Trx) => audit(trx, ctx, id, 'staff_read_erasures', { ...(userId && { user_id: userId }) }))
  }
  const found = await ctx.db
    .selectFrom('erasures')
    .selectAll()
    // To the letter: what an answer tells of a time is in milliseconds.
    .select(sql<string>`asked_at::text`.as('asked'))
    .where(askedBefore(cursor))
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId!))
    .$if(only !== undefined, (query) => query.where('erased_at', 'is', null))
    .$if(only === 'overdue', (query) => query.where('due_at', '<', new Date(now())))
    .orderBy('asked_at', 'desc')
    .orderBy('user_id', 'desc')
    .orderBy('service', 'desc')
    .limit(LISTED + 1)
    .execute()
  const rows = found.slice(0, LISTED)
  const last = found.length > LISTED ? rows.at(-1) : undefined
  const { open, late } = await countOpen(ctx)
  return {
    open,
    overdue: late.reduce((sum, { overdue }) => sum + overdue, 0),
    erasures: rows.map(({ user_id, service, asked_at, due_at, erased_at, report }) => ({
      user_id,
      service,
      asked_at: asked_at.toISOString(),
      due_at: due_at.toISOString(),
      erased_at: erased_at?.toISOString() ?? null,
      report,
    })),
    cursor: last ? Buffer.from(JSON.stringify([last.asked, last.user_id, last.service])).toString('base64url') : null,
  }
}

const Cursor = z.tuple([z.string().regex(/^[\d :.+-]{10,40}$/), z.uuid(), z.enum(erasing)])

function askedBefore(cursor: string | null | undefined) {
  if (!cursor) return sql<boolean>`true`
  const [at, userId, service] = readCursor(cursor)
  return sql<boolean>`(asked_at, user_id, service) < (${at}::timestamptz, ${userId}::uuid, ${service})`
}

function readCursor(cursor: string): z.output<typeof Cursor> {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch {
    throw new DomainError('invalid', { message: 'cursor: use the one that the page before came with' })
  }
}

async function countOpen(ctx: AuthCtx): Promise<{ open: number; late: { service: Erasing; overdue: number }[] }> {
  const rows = await ctx.db
    .selectFrom('erasures')
    .select(({ fn }) => [
      'service',
      fn.countAll<number>().as('open'),
      fn.countAll<number>().filterWhere('due_at', '<', new Date(now())).as('overdue'),
    ])
    .where('erased_at', 'is', null)
    .where(expected(ctx))
    .groupBy('service')
    .execute()
  return { open: rows.reduce((sum, row) => sum + row.open, 0), late: rows.filter((row) => row.overdue > 0) }
}

/** A service that has left the deployment is no longer asked. */
const expected = ({ deps }: AuthCtx) => sql<boolean>`service = any(${deps.config.AUTH_ERASING_SERVICES}::text[])`
