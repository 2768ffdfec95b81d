import type { Input, Output } from '@operon/contracts/contract'
import * as contract from '@operon/contracts/crm/views'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { serve } from '@operon/kit/http'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { inTransaction } from '@operon/kit/tx'
import { type Generated, sql } from 'kysely'
import type { CrmDb } from '../schema.ts'

type Call = Ctx<CrmDb>
export type ViewsDb = {
  contact_views: { id: string; user_id: string; name: string; query: string; created_at: Generated<Date> }
}

export function viewRoutes({ app }: Runtime<CrmDb, any>) {
  serve(app, contract.listContactViews, listContactViews)
  serve(app, contract.saveContactView, saveContactView)
  serve(app, contract.deleteContactView, deleteContactView)
}

async function listContactViews(ctx: Call): Promise<Output<typeof contract.listContactViews>> {
  const views = await ctx.db
    .selectFrom('contact_views')
    .select(['id', 'name', 'query'])
    .where('user_id', '=', signedIn(ctx).id)
    .orderBy(sql`lower(name)`)
    .limit(contract.MOST_VIEWS)
    .execute()
  return { views }
}

const KEPT = ['q', 'temperature', 'status', 'tag', 'sort', 'in', 'field', 'value', 'cols']
async function saveContactView(
  ctx: Call,
  { name, query: given }: Input<typeof contract.saveContactView>,
): Promise<Output<typeof contract.saveContactView>> {
  const { id: userId } = signedIn(ctx)
  const asked = new URLSearchParams(given)
  const query = new URLSearchParams(KEPT.flatMap((key): [string, string][] => (asked.get(key) ? [[key, asked.get(key)!]] : []))).toString()
  return inTransaction(ctx.db, async (trx) => {
    // One at a time for a person, so that the count holds.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`contact views ${userId}`}, 0))`.execute(trx)
    const known = await trx.selectFrom('contact_views').select(sql<string>`lower(name)`.as('name')).where('user_id', '=', userId).execute()
    if (known.length >= contract.MOST_VIEWS && !known.some((view) => view.name === name.toLowerCase())) throw new DomainError('views_full')
    const { rows } = await sql<{ id: string }>`
      insert into contact_views (id, user_id, name, query) values (${newId()}, ${userId}, ${name}, ${query})
      on conflict (user_id, lower(name)) do update set name = excluded.name, query = excluded.query returning id`.execute(trx)
    return { view_id: rows[0]!.id }
  })
}

async function deleteContactView(
  ctx: Call,
  { view_id }: Input<typeof contract.deleteContactView>,
): Promise<Output<typeof contract.deleteContactView>> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('contact_views')
    .where('id', '=', view_id)
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirstOrThrow()
  if (!numDeletedRows) throw new DomainError('not_found')
  return { deleted: true }
}
