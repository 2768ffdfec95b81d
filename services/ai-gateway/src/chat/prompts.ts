import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Expression, SqlBool } from 'kysely'
import type { AiDb } from '../schema.ts'

type Prompt = { title: string; body: string }
const MOST = 500

export async function savePrompts(ctx: Ctx<AiDb>, rows: Prompt[]) {
  const user_id = signedIn(ctx).id
  const { count } = await ctx.db
    .selectFrom('ai_prompts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow()
  if (count + rows.length > MOST)
    throw new DomainError('invalid', { message: `The library holds ${MOST} prompts. Delete some to save more.` })
  return ctx.db
    .insertInto('ai_prompts')
    .values(rows.map((row) => ({ id: newId(), user_id, ...row })))
    .returningAll()
    .execute()
}

export async function editPrompts(
  ctx: Ctx<AiDb>,
  { where, patch }: { where: Expression<SqlBool>; patch: { title?: string | undefined; body?: string | undefined } },
) {
  const changes = { ...(patch.title && { title: patch.title }), ...(patch.body && { body: patch.body }), updated_at: new Date() }
  return ctx.db.updateTable('ai_prompts').set(changes).where('user_id', '=', signedIn(ctx).id).where(where).returningAll().execute()
}

export async function deletePrompts(ctx: Ctx<AiDb>, { where }: { where: Expression<SqlBool> }) {
  return ctx.db.deleteFrom('ai_prompts').where('user_id', '=', signedIn(ctx).id).where(where).returningAll().execute()
}
