// The AI gateway as it runs in production: keys checked, quota reserved and settled in PostgreSQL, fallback and circuits armed, usage booked.
import { createHash } from 'node:crypto'
import { aiGatewayService } from '@operon/ai-gateway/service'
import { openBus } from '@operon/kit/open'
import { createInfra, prepareService } from '@operon/kit/service'

const { port, upstream, databaseUrl, dataDir } = JSON.parse(process.argv[2]!) as {
  port: number
  upstream: string
  databaseUrl: string
  dataDir: string
}
const PUBLIC_URL = `http://127.0.0.1:${port}`
const infra = await createInfra({
  NODE_ENV: 'production',
  LOG_LEVEL: 'warn',
  DATA_DIR: dataDir,
  DATABASE_URL_AI_GATEWAY: Object.assign(new URL(databaseUrl), { pathname: '/ai_gateway' }).href,
  PUBLIC_URL,
  AI_BASE_URL: `${upstream}/v1`,
})
const service = await prepareService(aiGatewayService, infra)
const bus = await openBus(infra, { service: 'identity', db: service.rt.db, log: infra.log })
bus.reply('identity.verification', async () => ({
  keys: [],
  issuer: `${PUBLIC_URL}/auth/v1`,
  revoked_sessions: [],
  suspended_users: [],
}))
await service.start()
await service.app.listen({ host: '127.0.0.1', port, backlog: 4096 })

// Sixty-four people on an unlimited plan, each with an API key.
const tokens = Array.from({ length: 64 }, () => `opk_${crypto.randomUUID()}`)
const people = tokens.map(() => crypto.randomUUID())
const insert = (table: string, rows: object[]) =>
  service.rt.db
    .insertInto(table as never)
    .values(rows as never)
    .execute()
await insert(
  'entitlements',
  people.map((user_id) => ({
    user_id,
    tier: 'enterprise',
    status: 'active',
    limits: JSON.stringify({ prompts: null }),
    period_start: new Date(),
    period_end: null,
    version: 1,
  })),
)
await insert(
  'ai_keys',
  tokens.map((key, i) => ({
    id: crypto.randomUUID(),
    user_id: people[i],
    name: 'Bench',
    prefix: key.slice(0, 12),
    hash: createHash('sha256').update(key).digest('base64url'),
    scopes: ['chat'],
  })),
)
process.on('SIGINT', () => process.exit(0))
process.on('message', async (ask) => {
  if (ask !== 'booked') return
  const rows = (await service.rt.db
    .selectFrom('ai_usage' as never)
    .select((eb: any) => [eb.fn.countAll().as('answers'), eb.fn.sum('completion_tokens').as('tokens')])
    .executeTakeFirst()) as { answers: number; tokens: number }
  process.send!({ answers: Number(rows.answers), tokens: Number(rows.tokens), rssMb: Math.round(process.memoryUsage().rss / 1e6) })
})
process.send!({ tokens })
