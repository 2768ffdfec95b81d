// The AI gateway as it runs in production: keys checked, quota reserved and settled in PostgreSQL, fallback and circuits armed, usage booked.
import { generateKeyPairSync, sign } from 'node:crypto'
import { aiGatewayService } from '@operon/ai-gateway/service'
import { openBus } from '@operon/kit/open'
import { createInfra, prepareService } from '@operon/kit/service'

const {
  port,
  upstream,
  databaseUrl,
  database = 'ai_gateway',
  dataDir,
} = JSON.parse(process.argv[2]!) as {
  port: number
  upstream: string
  databaseUrl: string
  database?: string
  dataDir: string
}
const PUBLIC_URL = `http://127.0.0.1:${port}`
const issuer = `${PUBLIC_URL}/auth/v1`
const infra = await createInfra({
  NODE_ENV: 'production',
  LOG_LEVEL: 'warn',
  DATA_DIR: dataDir,
  DATABASE_URL_AI_GATEWAY: Object.assign(new URL(databaseUrl), { pathname: `/${database}` }).href,
  DATABASE_POOL: '10',
  PUBLIC_URL,
  AI_BASE_URL: `${upstream}/v1`,
})
const service = await prepareService(aiGatewayService, infra)
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const bus = await openBus(infra, { service: 'identity', db: service.rt.db, log: infra.log })
bus.reply('identity.verification', async () => ({
  keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'ES256' }],
  issuer,
  revoked_sessions: [],
  suspended_users: [],
}))
await service.start()
await service.app.listen({ host: '127.0.0.1', port, backlog: 4096 })

// Sixty-four people on an unlimited plan.
const now = Math.floor(Date.now() / 1000)
const tokens: string[] = []
for (let i = 0; i < 64; i++) {
  const sub = crypto.randomUUID()
  await service.rt.db
    .insertInto('entitlements' as never)
    .values({
      user_id: sub,
      tier: 'enterprise',
      status: 'active',
      limits: JSON.stringify({ prompts: null }),
      period_start: new Date(),
      period_end: null,
      version: 1,
    } as never)
    .execute()
  const claims = {
    iss: issuer,
    aud: 'authenticated',
    sub,
    session_id: crypto.randomUUID(),
    role: 'authenticated',
    iat: now,
    exp: now + 3600,
  }
  const text = [{ alg: 'ES256', kid: 'bench', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  tokens.push(`${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`)
}
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
