import type { Input } from '@operon/contracts/contract'
import { appTriggers, triggerOf } from '@operon/contracts/integrations/triggers'
import type * as api from '@operon/contracts/integrations/watches'
import { now } from '@operon/kit/clock'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { z } from 'zod'
import { triggerDefinition } from '../apps/triggers/all.ts'
import { inputWords, workingConnection } from '../connections/actions.ts'
import type { CallApp } from '../connections/call.ts'
import { oneAtATime } from '../connections/keep.ts'
import type { IntegrationsDb } from '../schema.ts'
import { everySeconds, listed } from './look.ts'

type Call = Ctx<IntegrationsDb>
const MOST_WATCHES = 50
const MOST_SEEN = 1000

export async function listTriggers(ctx: Call, { app }: Input<typeof api.listAppTriggers>) {
  const triggers = appTriggers
    .filter((each) => each.app === app)
    .map(({ name, title, description }) => {
      const { $schema, ...input } = z.toJSONSchema(triggerDefinition(app, name)!.input as z.ZodType, { io: 'input' })
      return { name, title, description, input: input as Record<string, unknown> }
    })
  const rows = await ctx.db
    .selectFrom('app_watches')
    .innerJoin('connections', 'connections.id', 'app_watches.connection_id')
    .selectAll('app_watches')
    .select(['connections.account', 'connections.state'])
    .where('app_watches.user_id', '=', signedIn(ctx).id)
    .where('connections.app', '=', app)
    .orderBy('app_watches.id')
    .limit(MOST_WATCHES)
    .execute()
  const watches = rows.map(({ id, connection_id, account, state, trigger, input, failure, ...times }) => ({
    ...{ id, connection_id, app, account, trigger, failure },
    title: triggerOf(app, trigger)?.title ?? trigger,
    input: input as Record<string, unknown>,
    waits: state === 'broken',
    looked_at: times.looked_at?.toISOString() ?? null,
    told_at: times.told_at?.toISOString() ?? null,
    missed_at: times.missed_at?.toISOString() ?? null,
    created_at: times.created_at.toISOString(),
  }))
  return { triggers, watches }
}

/** Looks once, so that a wrong input is refused here, and takes what is there for known. */
export async function watch(ctx: Call, { app, trigger: name, input, connection_id }: Input<typeof api.watchApp>, call: CallApp) {
  const trigger = triggerDefinition(app, name)
  if (!trigger)
    throw new DomainError('app_trigger_unknown', {
      details: { triggers: appTriggers.filter((each) => each.app === app).map((each) => each.name) },
    })
  const given = (trigger.input as z.ZodType<Record<string, unknown>>).safeParse(input)
  if (!given.success) throw new DomainError('app_input', { message: inputWords(given.error), details: given.error.issues })
  const row = await workingConnection(ctx, app, connection_id)
  await demandRoom(ctx.db, row.user_id)
  const begins = new Date(now())
  const there = await listed(row, trigger, name, given.data, begins, call, ctx.signal)
  return inTransaction(ctx.db, async (trx) => {
    await oneAtATime(trx, row.user_id, 'watches')
    await demandRoom(trx, row.user_id)
    const { rows } = await sql<{ id: string }>`
      insert into app_watches (id, user_id, connection_id, trigger, input, seen_until, seen, looked_at, next_at)
      values (${newId()}, ${row.user_id}, ${row.id}, ${name}, ${JSON.stringify(given.data)}::jsonb, ${begins},
        ${there.map(trigger.key).slice(0, MOST_SEEN)}::text[], now(), now() + ${everySeconds(app)}::float8 * interval '1 second')
      on conflict (connection_id, trigger, md5(input::text)) do update set trigger = excluded.trigger
      returning id`.execute(trx)
    return { watch_id: rows[0]!.id, account: row.account }
  })
}

async function demandRoom(db: Call['db'], userId: string): Promise<void> {
  const last = await db
    .selectFrom('app_watches')
    .select('id')
    .where('user_id', '=', userId)
    .offset(MOST_WATCHES - 1)
    .limit(1)
    .executeTakeFirst()
  if (last) throw new DomainError('watch_limit', { message: `You watch ${MOST_WATCHES} things. Stop watching one that you do not need.` })
}

export async function unwatch(ctx: Call, { watch_id }: Input<typeof api.unwatchApp>) {
  const gone = await ctx.db
    .deleteFrom('app_watches')
    .where('id', '=', watch_id)
    .where('user_id', '=', signedIn(ctx).id)
    .returning('id')
    .executeTakeFirst()
  return { stopped: gone !== undefined }
}
