import type { KitDb } from '@operon/kit/schema'
import type { Transaction } from 'kysely'
import type { AiDb } from './schema.ts'

/** What a person said and was told goes with them; what was used stays as numbers without the person, for the books. */
export async function eraseUser(trx: Transaction<AiDb & KitDb>, userId: string | null) {
  if (!userId) return
  for (const table of ['ai_conversations', 'ai_comparisons', 'ai_prompts', 'ai_actions', 'ai_keys'] as const)
    await trx.deleteFrom(table).where('user_id', '=', userId).execute()
}
