import { deleteRows, type Eraser } from '@operon/kit/erasure'
import { eraseFiles, fileHoldings } from '@operon/kit/files/mount'
import { WHOLE_ROW } from '@operon/kit/personal-data'
import type { Runtime } from '@operon/kit/service'
import { release } from '@operon/kit/settle'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Config } from './config.ts'
import { inputsOf } from './pictures/inputs.ts'
import { thumbsOf } from './pictures/picture.ts'
import { publicOf } from './pictures/public.ts'
import type { MediaDb } from './schema.ts'
import { recordingsOf } from './speech/speak.ts'

type Rt = Runtime<MediaDb, Config>

/** Stops running jobs first, so that a worker that ends later keeps nothing. */
export const erasureOf = (rt: Rt): Eraser<MediaDb> => ({
  async before(ctx, userId) {
    await inTransaction(ctx.db, async (trx) => {
      const open = await trx
        .updateTable('pictures')
        .set({ state: 'cancelled', finished_at: sql`now()` as never })
        .where('user_id', '=', userId)
        .where('state', 'in', ['queued', 'running'])
        .returning('reservation_id')
        .execute()
      for (const { reservation_id } of open) await release(trx, { id: reservation_id })
    })
    await eraseFiles(rt, ctx as never, userId)
    for (const prefix of [thumbsOf(userId), recordingsOf(userId), inputsOf(userId), publicOf(userId)])
      for (let found = await rt.storage.list(prefix, 500); found.length; found = await rt.storage.list(prefix, 500))
        for (const { key } of found) await rt.storage.delete(key)
  },
  long: [
    { table: 'public_pictures' },
    { table: 'picture_shares' },
    { table: 'board_pictures' },
    { table: 'pictures' },
    { table: 'recordings' },
  ],
  async erase(trx, userId) {
    await sql`delete from lane_items where tenant = ${userId}`.execute(trx)
    await sql`delete from tenant_lanes where tenant = ${userId}`.execute(trx)
    return {
      deleted: await deleteRows(trx as never, ['file_links', 'picture_months', 'boards', 'voice_commands', 'voice_settings'], userId),
    }
  },
  holds: [
    {
      table: 'pictures',
      without: ['words', 'reservation_id', 'request_key', 'fence', 'provider_ref', 'inputs', 'mask_key', 'inputs_gone'],
    },
    { table: 'picture_shares' },
    { table: 'public_pictures' },
    { table: 'boards' },
    { table: 'board_pictures', key: WHOLE_ROW },
    { table: 'picture_months', key: null },
    { table: 'recordings', without: ['text_key'] },
    { table: 'voice_settings', key: null },
    { table: 'voice_commands' },
    ...fileHoldings,
  ],
})
