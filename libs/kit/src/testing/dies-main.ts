import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { openDatabase } from '../db.ts'
import { once } from '../idempotency.ts'
import { inTransaction } from '../tx.ts'

// A keyed call in a process of its own, which may die right after the effect.
const { databaseUrl, key, dies } = JSON.parse(process.argv[2]!) as { databaseUrl: string; key: string; dies: boolean }
const { db } = openDatabase<any>(databaseUrl, 2, () => {})
const ctx = { db, actor: { kind: 'anonymous' }, ip: '127.0.0.1', requestId: 'dies' } as unknown as Ctx<any>
const reply = await once(ctx, {
  scope: '/functions/v1/effect',
  key,
  input: {},
  run: async (within) => {
    await inTransaction(within.db, (trx) => sql`insert into effects (key) values (${key})`.execute(trx))
    if (dies) process.kill(process.pid, 'SIGKILL')
    return { done: true }
  },
})
console.log(JSON.stringify(reply))
await db.destroy()
