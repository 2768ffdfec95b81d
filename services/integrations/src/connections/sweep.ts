import type { Payload } from '@operon/contracts/contract'
import { appIds } from '@operon/contracts/integrations/apps'
import type { revokeAccess } from '@operon/contracts/integrations/events'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import type { Runtime } from '@operon/kit/service'
import { type Selectable, sql } from 'kysely'
import { definitionOf } from '../apps/all.ts'
import { BESIDE } from '../apps/caldav.ts'
import type { Places } from '../apps/place.ts'
import { vendors } from '../apps/vendors.ts'
import type { Config } from '../config.ts'
import { stopThere } from '../hooks/hooks.ts'
import type { IntegrationsDb } from '../schema.ts'
import type { CallApp } from './call.ts'
import { seal, unseal } from './keep.ts'
import { LOOK } from './notes.ts'
import type { Tokens } from './tokens.ts'

type Rt = Runtime<IntegrationsDb, Config>

const BATCH = 200
const AT_ONCE = 8
const TRIES_HOURS = 24
const FIRST = '00000000-0000-0000-0000-000000000000'

/** Renews tokens at four fifths of their life and looks once a day whether each connection still works. */
export async function keepAlive({ db, log }: Pick<Rt, 'db' | 'log'>, tokens: Tokens, call: CallApp): Promise<void> {
  const alive = () => db.selectFrom('connections').selectAll().where('state', 'in', ['connected', 'degraded']).limit(BATCH)
  const due = await alive().where('refresh_at', '<', sql<Date>`now()`).orderBy('refresh_at').execute()
  const quiet = (what: string) => (err: unknown) => {
    if (!(err instanceof DomainError)) log.warn({ err }, what)
  }
  // A vendor that is away is asked again in a while, not in the next breath.
  if (due.length)
    await db
      .updateTable('connections')
      .set({ refresh_at: sql`now() + interval '5 minutes'` })
      .where(
        'id',
        'in',
        due.map(({ id }) => id),
      )
      .execute()
  await inTurns(due, (row) => tokens.fresh(row, row.generation).then(() => {}, quiet('a token was not renewed')))
  const unseen = await alive()
    .where('app', 'not in', BESIDE)
    .where('checked_at', '<', sql<Date>`now() - interval '1 day'`)
    .orderBy('checked_at')
    .execute()
  if (unseen.length)
    await db
      .updateTable('connections')
      .set({ checked_at: sql`now()` })
      .where(
        'id',
        'in',
        unseen.map(({ id }) => id),
      )
      .execute()
  await inTurns(unseen, (row) =>
    call(row, () => definitionOf(row.app).who, { action: 'test', effect: 'reads' }).then(() => {}, quiet('a connection was not tested')),
  )
}

/** Looks take no more than this share of the calls that an app allows. */
const LOOK_SHARE = 1 / 20
const LOOK_SECONDS = 25
const SLOWER = appIds
  .map((app) => [app, 60 / (definitionOf(app).perMinute * LOOK_SHARE)] as const)
  .filter(([, seconds]) => seconds > LOOK_SECONDS)

/**
 * Looks at the connections that were just made, or that somebody or a rule works with, so that a cut on the other side is told within a minute. Most
 * vendors do not tell. The others are looked at once a day. Those in use are few, and found
 * before they are put in order: by that order alone, all connections would be gone through.
 */
export async function lookAfter({ db, log }: Pick<Rt, 'db' | 'log'>, call: CallApp): Promise<void> {
  const every = SLOWER.length
    ? sql`case app ${sql.join(
        SLOWER.map(([app, seconds]) => sql`when ${app} then ${seconds}::float8`),
        sql` `,
      )} else ${LOOK_SECONDS}::float8 end`
    : sql`${LOOK_SECONDS}::float8`
  const { rows: due } = await sql<Selectable<IntegrationsDb['connections']>>`
    with used as materialized (
      select id, checked_at from connections where state in ('connected', 'degraded') and app <> all(${BESIDE}::text[])
        and last_call_at > now() - interval '1 hour' and checked_at < now() - ${every} * interval '1 second'
    ),
    due as (
      select id from connections where id = any(array(select id from used order by checked_at limit ${BATCH})) for update skip locked
    )
    update connections c set checked_at = now() from due where c.id = due.id returning c.*`.execute(db)
  await inTurns(due, (row) =>
    call(row, () => definitionOf(row.app).who, { action: LOOK, effect: 'reads' }).then(
      () => {},
      (err: unknown) => {
        if (!(err instanceof DomainError)) log.warn({ err }, 'a connection was not checked')
      },
    ),
  )
}

async function inTurns<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, left.length) }, async () => {
      for (let item = left.shift(); item; item = left.shift()) await work(item)
    }),
  )
}

/** Takes our access back at the app, then forgets the token. After a day of failures it is forgotten all the same, and the log says so. */
export async function revoke(
  { db, vault, log }: Pick<Rt, 'db' | 'vault' | 'log'>,
  places: Places,
  { connection_id, generation }: Payload<typeof revokeAccess>,
) {
  const row = await db
    .selectFrom('revocations')
    .selectAll()
    .where('id', '=', connection_id)
    .where('generation', '=', generation)
    .executeTakeFirst()
  if (!row) return
  try {
    await tellThere({ vault, log }, places, row)
  } catch (err) {
    if (row.created_at.getTime() > now() - TRIES_HOURS * 3_600_000) throw err
    log.error({ err, app: row.app }, 'an app did not revoke our token within a day; the token is deleted here')
  }
  await db.deleteFrom('revocations').where('id', '=', row.id).where('generation', '=', row.generation).execute()
}

async function tellThere(
  { vault, log }: Pick<Rt, 'vault' | 'log'>,
  places: Places,
  row: Selectable<IntegrationsDb['revocations']>,
): Promise<void> {
  const vendor = definitionOf(row.app).vendor
  const call = vendor && !row.hooks_only && vendors[vendor].revoke
  const place = places.at(row.app, row.sandbox)
  if (place) await stopThere({ places, log }, row.app, unseal(vault, row.id, row.sealed), place, row.hooks)
  if (call && place) {
    const { method, url, form, headers } = call(unseal(vault, row.id, row.sealed), place.client)
    const response = await places.fetch(await place.wire(url), {
      method,
      headers: { accept: 'application/json', ...headers },
      ...(form && { body: new URLSearchParams(form) }),
      maxRedirects: 0,
    })
    // A refusal of the token says that it is good for nothing any more.
    if (response.status >= 500 || response.status === 429) throw new DomainError('upstream_failed')
  }
}

/** Those whose job has given up, which it does after an hour. */
export async function revokeLeft(rt: Pick<Rt, 'db' | 'vault' | 'log'>, places: Places): Promise<void> {
  const left = await rt.db
    .selectFrom('revocations')
    .select(['id', 'generation'])
    .where('created_at', '<', sql<Date>`now() - interval '2 hours'`)
    .orderBy('created_at')
    .limit(BATCH)
    .execute()
  await inTurns(left, ({ id, generation }) =>
    revoke(rt, places, { connection_id: id, generation }).catch((err: unknown) => rt.log.debug({ err }, 'a token was not revoked yet')),
  )
}

/** Seals what an older master key sealed anew, so that the key can be removed. */
export async function resealTokens({ db, vault, log }: Pick<Rt, 'db' | 'vault' | 'log'>): Promise<void> {
  if (!vault.isRotating) return
  for (const table of ['connections', 'revocations'] as const)
    for (let after = FIRST; ; ) {
      const rows = await db
        .selectFrom(table)
        .select(['id', 'sealed'])
        .where('id', '>', after)
        .where('sealed', 'not like', `${vault.prefix.replaceAll('_', '\\_')}%`)
        .orderBy('id')
        .limit(BATCH)
        .execute()
      for (const { id, sealed } of rows)
        try {
          const anew = seal(vault, id, unseal(vault, id, sealed!))
          await db.updateTable(table).set({ sealed: anew }).where('id', '=', id).where('sealed', '=', sealed).execute()
        } catch (err) {
          log.warn({ err, connection: id }, 'a token could not be sealed anew')
        }
      if (rows.length < BATCH) break
      after = rows.at(-1)!.id
    }
}
