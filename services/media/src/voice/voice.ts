import {
  COMMANDS_KEPT,
  DEFAULT_SENSITIVITY,
  DEFAULT_VOICE,
  DEFAULT_WAKE_WORD,
  type VoiceName,
  type WakeWord,
} from '@operon/contracts/media/speech'
import { type Ctx, signedIn } from '@operon/kit/context'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { MediaDb } from '../schema.ts'

type Settings = { voice: VoiceName; speaks: boolean; wakes: boolean; wake_word: WakeWord; sensitivity: number }
const usual: Settings = {
  voice: DEFAULT_VOICE,
  speaks: true,
  wakes: false,
  wake_word: DEFAULT_WAKE_WORD,
  sensitivity: DEFAULT_SENSITIVITY,
}
const columns = ['voice', 'speaks', 'wakes', 'wake_word', 'sensitivity'] as const

export async function readSettings(ctx: Ctx<MediaDb>): Promise<Settings> {
  const row = await ctx.db.selectFrom('voice_settings').select(columns).where('user_id', '=', signedIn(ctx).id).executeTakeFirst()
  return row ?? usual
}

export async function saveSettings(ctx: Ctx<MediaDb>, change: Partial<Settings>): Promise<Settings> {
  const row = await ctx.db
    .insertInto('voice_settings')
    .values({ user_id: signedIn(ctx).id, ...usual, ...change })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ ...change, updated_at: sql`now()` as never }))
    .returning(columns)
    .executeTakeFirstOrThrow()
  return row
}

export async function listCommands(ctx: Ctx<MediaDb>) {
  const rows = await ctx.db
    .selectFrom('voice_commands')
    .select(['id', 'command', 'response', 'confidence', 'created_at'])
    .where('user_id', '=', signedIn(ctx).id)
    .orderBy('id', 'desc')
    .limit(COMMANDS_KEPT)
    .execute()
  return { commands: rows.map(({ created_at, ...row }) => ({ ...row, timestamp: created_at.toISOString() })) }
}

type Command = { command: string; response: string; confidence: number | null }

export async function keepCommand(ctx: Ctx<MediaDb>, command: Command): Promise<{ id: string }> {
  const { id: user_id } = signedIn(ctx)
  const id = newId()
  await inTransaction(ctx.db, async (trx) => {
    await trx
      .insertInto('voice_commands')
      .values({ id, user_id, ...command })
      .execute()
    await sql`
      delete from voice_commands where user_id = ${user_id} and id <= (
        select id from voice_commands where user_id = ${user_id} order by id desc offset ${COMMANDS_KEPT} limit 1)`.execute(trx)
  })
  return { id }
}

export async function clearCommands(ctx: Ctx<MediaDb>): Promise<{ cleared: number }> {
  const { numDeletedRows } = await ctx.db.deleteFrom('voice_commands').where('user_id', '=', signedIn(ctx).id).executeTakeFirst()
  return { cleared: Number(numDeletedRows) }
}
