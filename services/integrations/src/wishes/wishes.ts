import type { Input, Output } from '@operon/contracts/contract'
import { apps } from '@operon/contracts/integrations/apps'
import * as api from '@operon/contracts/integrations/wishes'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { IntegrationsDb } from '../schema.ts'

type Call = Ctx<IntegrationsDb>

const NEWEST = 5_000
const MOST_SHOWN = 100
const WORDS_SHOWN = 3

/** “Hub Spot”, “hubspot” and “HubSpot!” are one app. */
const keyOf = (name: string) =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')

export async function requestApp(ctx: Call, { name, wanted }: Input<typeof api.requestApp>): Promise<Output<typeof api.requestApp>> {
  const key = keyOf(name)
  if (!key) throw new DomainError('invalid', { message: 'Give the name of the app.' })
  const known = apps.find((app) => keyOf(app.name) === key)
  if (known) throw new DomainError('app_exists', { message: `${known.name} is in the App Library already. Connect it there.` })
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`app_requests:${userId}`}, 0))`.execute(trx)
    const others = await trx
      .selectFrom('app_requests')
      .select('id')
      .where('user_id', '=', userId)
      .where('app_key', '<>', key)
      .limit(api.MOST_WISHES)
      .execute()
    if (others.length >= api.MOST_WISHES) throw new DomainError('app_requests_full')
    await trx
      .insertInto('app_requests')
      .values({ id: newId(), user_id: userId, name, app_key: key, wanted })
      .onConflict((conflict) => conflict.columns(['user_id', 'app_key']).doUpdateSet({ name, wanted }))
      .execute()
    return { requested: true as const }
  })
}

export async function appRequests({ db }: Call): Promise<Output<typeof api.staffAppRequests>> {
  const { rows } = await sql<{ name: string; people: number; wanted: string[]; last_at: Date }>`
    with newest as (select * from app_requests order by id desc limit ${NEWEST})
    select mode() within group (order by name) as name, count(*)::int as people, max(created_at) as last_at,
      (array_remove(array_agg(nullif(wanted, '') order by id desc), null))[1:${sql.lit(WORDS_SHOWN)}] as wanted
    from newest group by app_key order by people desc, last_at desc limit ${MOST_SHOWN}`.execute(db)
  return { apps: rows.map(({ last_at, wanted, ...app }) => ({ ...app, wanted: wanted ?? [], last_at: last_at.toISOString() })) }
}
