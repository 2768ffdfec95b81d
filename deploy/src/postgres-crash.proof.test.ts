import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usageRecorded } from '@operon/contracts/usage'
import { ensureDatabase, openDatabase } from '@operon/kit/db'
import { newId } from '@operon/kit/ids'
import { settleWith, settlingWith, usageOf } from '@operon/kit/meter'
import { migrate } from '@operon/kit/migrate'
import { Reserver } from '@operon/kit/reserver'
import type { KitDb } from '@operon/kit/schema'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { aliveProcess } from './machine.ts'
import { startPostgres } from './postgres.ts'

const BOOK = settlingWith('crash_book', 'nothing as (select 1)')
const recorded = usageRecorded('ai-gateway')

test('a hold that PostgreSQL lost when it was killed is booked all the same, once [R14]', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'crash-'))
  chmodSync(dataDir, 0o755)
  // Late enough that the killing comes first: what nobody waited for is not on the disk.
  const settings = { wal_writer_delay: '10s' }
  let postgres = await startPostgres({ dataDir, settings })
  const url = Object.assign(new URL(postgres.url), { pathname: '/crash' }).href
  await ensureDatabase(url, { log: console as never, withinMs: 10_000 })
  const { db } = openDatabase<KitDb>(url, 2, () => {})
  try {
    await migrate(url, {})
    const userId = newId()
    const reserver = new Reserver(db, 'prompts', 'marketplace')
    const synced = await reserver.reserve({ userId, feature: 'chat' })
    const unsynced = await reserver.reserve({ userId, feature: 'chat' })
    expect([synced.unsynced, unsynced.unsynced]).toEqual([false, true])
    expect(await usageOf(db, userId, 'prompts')).toMatchObject({ used: 0, reserved: 2 })

    process.kill(postgres.pid, 'SIGKILL')
    await vi.waitFor(() => expect(aliveProcess(postgres.pid)).toBe(false), 10_000)
    postgres = await vi.waitFor(() => startPostgres({ dataDir, settings }), 20_000)
    const held = () => db.selectFrom('usage_reservations').select('id').execute()
    await vi.waitFor(async () => expect(await held()).toEqual([{ id: synced.id }]), 10_000)

    const book = () =>
      settleWith(
        db,
        BOOK,
        recorded,
        [synced, unsynced].map((hold) => ({ hold, costMicrousd: 7, row: {} })),
      )
    await vi.waitFor(book, 10_000)
    await book()
    expect(await usageOf(db, userId, 'prompts')).toMatchObject({ used: 2, reserved: 0 })
    const { rows } = await sql<{ used: number }>`
      select (each -> 'payload' ->> 'used')::int as used from outbox, jsonb_array_elements(payload) each order by 1`.execute(db)
    expect(rows).toEqual([{ used: 1 }, { used: 2 }])
  } finally {
    await db.destroy()
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 60_000)
