// Identity alone on its own port, with what the benchmark needs beside it: accounts to sign in to, raw figures of this process, and a count of statements.
import { createHash } from 'node:crypto'
import { createHasher } from '@operon/identity/passwords/hashing'
import { identityService } from '@operon/identity/service'
import { createInfra, prepareService } from '@operon/kit/service'
import { sql } from 'kysely'
import pg from 'pg'

type Input = { port: number; databaseUrl: string; dataDir: string; accounts: number; password: string }
const { port, databaseUrl, dataDir, accounts, password } = JSON.parse(process.argv[2]!) as Input
const many = '100000000'
const env = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'error',
  PORT: String(port),
  DATA_DIR: dataDir,
  DATABASE_URL: databaseUrl,
  AUTH_AUTOCONFIRM: 'true',
  SANDBOX_KEY: 'opens-automatic-confirmation',
  LIMIT_SIGN_UP_PER_MINUTE: many,
  LIMIT_SIGN_IN_PER_MINUTE: many,
  LIMIT_REFRESH_AT_ONCE: many,
}

let statements = 0
const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
  statements++
  return query.apply(this, args)
} as never

const service = await prepareService(identityService, await createInfra(env))
await service.start()
await service.app.listen({ host: '127.0.0.1', port })
const { db } = service.rt
const hasher = createHasher()
const hash = await hasher.hash(password)
const idOf = (at: number) =>
  createHash('sha256')
    .update(`bench ${at}`)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')
const rows = Array.from({ length: accounts }, (_, at) => ({
  id: idOf(at),
  email: `bench-${at}@example.com`,
  password_hash: hash,
  email_confirmed_at: new Date(),
  email_proven: true,
  app_metadata: '{}',
  user_metadata: '{}',
}))
await db.insertInto('users').values(rows).execute()

/** How often a second this process does one thing, so many at a time. */
async function rate(seconds: number, atOnce: number, work: (at: number) => Promise<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1000
  let done = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() < end) await work(done++)
    }),
  )
  return done / seconds
}

const measures: Record<string, (seconds: number) => Promise<number>> = {
  argon2id: (seconds) => rate(seconds, 8, () => hasher.verify(password, hash)),
  select: (seconds) =>
    rate(seconds, 16, (at) =>
      db
        .selectFrom('users')
        .selectAll()
        .where('id', '=', idOf(at % accounts))
        .execute(),
    ),
  update: (seconds) =>
    rate(seconds, 16, (at) =>
      db
        .updateTable('users')
        .set({ last_sign_in_at: new Date() })
        .where('id', '=', idOf(at % accounts))
        .where('deleted_at', 'is', null)
        .returning('id')
        .execute(),
    ),
}

process.on('message', async (asked: { measure?: string; seconds?: number; tidy?: true }) => {
  if (asked.tidy) {
    await sql`vacuum analyze`.execute(db)
    await sql`checkpoint`.execute(db)
    return process.send!({ tidy: true })
  }
  if (!asked.measure) return process.send!({ statements })
  process.send!({ perSecond: await measures[asked.measure]!(asked.seconds!) })
})
process.on('SIGTERM', async () => {
  await service.drain()
  await service.close()
  process.exit(0)
})
process.send!({ ready: true })
