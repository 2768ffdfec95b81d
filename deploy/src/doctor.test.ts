import { expect, test } from 'vitest'
import { examine, unknownNames } from './doctor.ts'
import { knownVariables, loadDefinitions } from './services.ts'

const definitions = await loadDefinitions()
const good = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://operon.example',
  DATABASE_URL: 'postgres://operon:Zk9-long-and-random@db/postgres',
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  SMTP_URL: 'smtps://user:Zk9-long-and-random@mail.example',
  SMS_API_URL: 'https://sms.example',
  STRIPE_SECRET_KEY: 'sk_live_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  AI_BASE_URL: 'https://models.example/v1',
  DOMAIN_REGISTRIES: 'live',
  AUTH_SANDBOX_OAUTH: 'false',
  CONNECT_SANDBOX: 'false',
  TRUSTED_PROXIES: '10.0.0.1',
  AUTH_STAFF_EMAILS: 'ann@operon.example',
  AUTH_CAPTCHA_URL: 'https://captcha.example',
  METRICS_TOKEN: 'a-token-of-twenty-characters',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example',
}
const told = (env: Record<string, string>) => examine(env, definitions).map(({ level, what }) => `${level}: ${what}`)

test('a platform that is set up as the guide says has nothing to mend', () => {
  expect(told(good)).toEqual([])
})

test.each<[string, Record<string, string>, RegExp]>([
  ['an address without TLS', { PUBLIC_URL: 'http://operon.example' }, /^wrong: PUBLIC_URL is not https/],
  ['no address', { PUBLIC_URL: '' }, /^wrong: PUBLIC_URL is not set/],
  ['no email', { SMTP_URL: '' }, /^wrong: mail has no key: sign-ups by email are refused/],
  ['no payments', { STRIPE_SECRET_KEY: '', STRIPE_WEBHOOK_SECRET: '' }, /^look: Stripe has no key: nobody can pay/],
  ['no models', { AI_BASE_URL: '' }, /^look: OpenAI has no key/],
  [
    'a known password',
    { DATABASE_URL: 'postgres://operon:postgres@db/postgres' },
    /^wrong: DATABASE_URL has a password that everybody knows/,
  ],
  ['no master key', { MASTER_KEY: '' }, /^wrong: MASTER_KEY is not set/],
  ['an open sandbox', { SANDBOX_KEY: 'for-the-demonstration-only' }, /^wrong: SANDBOX_KEY opens/],
  ['addresses without a proof', { AUTH_AUTOCONFIRM: 'true' }, /^wrong: AUTH_AUTOCONFIRM/],
  ['a value that no process reads', { LOG_LEVEL: 'loud' }, /^wrong: LOG_LEVEL: /],
  ['half a pair', { STRIPE_WEBHOOK_SECRET: '' }, /^wrong: STRIPE_WEBHOOK_SECRET: is needed/],
])('%s is told', (_name, change, what) => {
  expect(
    told({ ...good, ...change }).some((line) => what.test(line)),
    told({ ...good, ...change }).join('\n'),
  ).toBe(true)
})

test('a misspelt variable is named with the one that was meant, and what belongs to the shell is left alone', async () => {
  const known = await knownVariables()
  expect(unknownNames(['SMTP_ULR', 'PUBLIC_URL', 'NONSENSE'], ['PATH', 'HOME', 'OPENAI_APIKEY', 'LANG'], known)).toEqual([
    { name: 'SMTP_ULR', meant: 'SMTP_URL' },
    { name: 'NONSENSE', meant: null },
    { name: 'OPENAI_APIKEY', meant: 'OPENAI_API_KEY' },
  ])
})
