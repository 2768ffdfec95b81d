import type { Payload } from '@operon/contracts/contract'
import type { revokeAccess } from '@operon/contracts/integrations/events'
import { DomainError } from '@operon/kit/errors'
import type { Runtime } from '@operon/kit/service'
import { sql } from 'kysely'
import { definitionOf } from '../apps/all.ts'
import type { Places } from '../apps/place.ts'
import { vendors } from '../apps/vendors.ts'
import type { Config } from '../config.ts'
import type { IntegrationsDb } from '../schema.ts'
import type { CallApp } from './call.ts'
import { unseal } from './keep.ts'
import type { Tokens } from './tokens.ts'

type Rt = Runtime<IntegrationsDb, Config>

const BATCH = 200
const AT_ONCE = 8
const TRIES_HOURS = 24

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
  const unseen = await alive().where('checked_at', '<', sql<Date>`now() - interval '1 day'`).orderBy('checked_at').execute()
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
  const vendor = definitionOf(row.app).vendor
  const call = vendor && vendors[vendor].revoke
  const place = places.at(row.app, row.sandbox)
  if (call && place) {
    const { method, url, form, headers } = call(unseal(vault, row.id, row.sealed), place.client)
    const response = await places.fetch(await place.wire(url), {
      method,
      headers: { accept: 'application/json', ...headers },
      ...(form && { body: new URLSearchParams(form) }),
      maxRedirects: 0,
    })
    // A refusal of the token says that it is good for nothing any more.
    if (response.status >= 500 || response.status === 429) {
      if (row.created_at.getTime() > Date.now() - TRIES_HOURS * 3_600_000) throw new DomainError('upstream_failed')
      log.error({ app: row.app, status: response.status }, 'an app did not take our access back in a day; the token is forgotten here')
    }
  }
  await db.deleteFrom('revocations').where('id', '=', row.id).where('generation', '=', row.generation).execute()
}
