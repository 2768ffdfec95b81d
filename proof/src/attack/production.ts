import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { scratchFolder } from '@operon/deploy/machine'
import type { Env } from '@operon/kit/config'
import { sampleCall } from './document.ts'
import { startPlatform } from './platform.ts'
import type { Attack } from './world.ts'

const composeFile = resolve(import.meta.dirname, '../../../compose.prod.yml')
/** A stranger's first tries: pages of the sandbox, its inbox, its controls, its checkout and consent. */
const sandboxCalls = [
  'GET /sandbox',
  'GET /sandbox/',
  'GET /sandbox/inbox',
  'GET /sandbox/api/inbox',
  'GET /sandbox/api/truth',
  'GET /sandbox/api/addresses',
  'POST /sandbox/faults',
  'POST /sandbox/api/stripe/clock/advance',
  'POST /sandbox/api/stripe/disputes',
  'POST /sandbox/inbox/clear',
  'DELETE /sandbox/api/inbox',
  'GET /sandbox/oauth/google/authorize',
  'GET /sandbox/stripe/checkout/cs_test_1',
  'GET /sandbox/%69nbox',
  'GET /sandbox/assets/sandbox.js',
]
/** Keys and passwords that stand in files of this repository or are everybody's first guess. */
const defaults = [
  'anon',
  'operon',
  'operon-secret',
  'sandbox',
  'operon-sandbox-secret',
  'service_role',
  'secret',
  'changeme',
  'admin',
  'postgres',
]

// S31: a platform as an operator starts it for real people: nothing of the sandbox, no address believed unproven, no key that everybody knows.
export const attack: Attack = async (world) => {
  const findings: string[] = []
  let tried = 0
  const expectThat = (holds: boolean, finding: string) => {
    tried++
    if (!holds) findings.push(finding)
  }
  const shapes: [string, Env][] = [
    ['production', { NODE_ENV: 'production' }],
    ['a public address', { PUBLIC_URL: 'https://operon.example' }],
  ]
  for (const [name, env] of world.short ? shapes.slice(0, 1) : shapes) {
    for (const [what, extra, said] of [
      ['starts with AUTH_AUTOCONFIRM', { AUTH_AUTOCONFIRM: 'true' }, /AUTH_AUTOCONFIRM: .*SANDBOX_KEY/s],
      ['starts with a sandbox', { SERVICES: 'sandbox' }, /SANDBOX_KEY: .*real people/s],
      [
        'starts with a service key that every visitor sends',
        { SERVICE_KEY: 'a-key-for-everybody-here', PUBLISHABLE_KEYS: 'a-key-for-everybody-here' },
        /SERVICE_KEY: /,
      ],
    ] as const) {
      const refusal = await withPlatform({ ...env, ...extra }, async () => 'it started').catch((error: Error) => error.message)
      expectThat(said.test(refusal), `${name}: ${what}: ${refusal}`)
    }
    await withPlatform(env, async (url) => {
      const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
        const answer = await fetch(url + path, {
          method,
          redirect: 'manual',
          headers: { apikey: 'anon', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        const text = await answer.text()
        return { status: answer.status, text }
      }
      for (const each of sandboxCalls) {
        const [method, path] = each.split(' ') as [string, string]
        for (const key of ['', ...defaults]) {
          const { status, text } = await call(method, path, method === 'POST' ? {} : undefined, { 'x-sandbox-key': key })
          expectThat(status === 404 && !/sandbox/i.test(text), `${name}: ${each} answered ${status}`)
        }
      }
      expectThat(!(await call('GET', '/openapi.json')).text.includes('/sandbox'), `${name}: the reference names the sandbox`)
      expectThat(!(await call('GET', '/docs')).text.includes('/sandbox'), `${name}: /docs names the sandbox`)
      const info = await call('POST', '/functions/v1/platform-info', {})
      expectThat(JSON.parse(info.text).sandboxed.length === 0, `${name}: a stand-in plays for somebody: ${info.text}`)
      expectThat(JSON.parse(info.text).demo_accounts === false, `${name}: demo accounts are offered`)
      for (const portal of ['seller', 'buyer']) {
        const { status, text } = await call('POST', '/functions/v1/demo-sign-in', { portal })
        expectThat(status >= 400 && !text.includes('access_token'), `${name}: demo-sign-in as ${portal} answered ${status}`)
      }

      const settings = JSON.parse((await call('GET', '/auth/v1/settings')).text)
      expectThat(settings.mailer_autoconfirm === false && settings.phone_autoconfirm !== true, `${name}: addresses count without a proof`)
      const password = randomBytes(12).toString('hex')
      for (const who of [{ email: 'owner@example.com' }, { phone: '+15005550099' }]) {
        const { text } = await call('POST', '/auth/v1/signup', { ...who, password })
        expectThat(!text.includes('access_token'), `${name}: a sign-up of ${Object.keys(who)} is signed in at once`)
        const again = await call('POST', '/auth/v1/token?grant_type=password', { ...who, password })
        expectThat(!again.text.includes('access_token'), `${name}: ${Object.keys(who)} without a proof signs in`)
      }

      const administers = world.operations.filter(
        ({ access, path }) => ['service', 'staff'].includes(access ?? '') && !path.startsWith('/sandbox'),
      )
      for (const operation of administers)
        for (const key of world.short ? defaults.slice(0, 3) : defaults) {
          const { path, body } = sampleCall(operation)
          const { status } = await call(operation.method, path, body, { apikey: key, authorization: `Bearer ${key}` })
          expectThat([401, 403, 404].includes(status), `${name}: ${operation.name} with the key "${key}" answered ${status}`)
        }
    })
  }
  const key = randomBytes(16).toString('hex')
  await withPlatform({ NODE_ENV: 'production', SANDBOX_KEY: key }, async (url) => {
    for (const path of ['/sandbox', '/sandbox/inbox', '/sandbox/api/inbox', '/sandbox/api/truth']) {
      for (const given of ['', ...defaults])
        expectThat(
          (await fetch(url + path, { headers: { 'x-sandbox-key': given } })).status === 404,
          `${path} opens with the key "${given}"`,
        )
      expectThat((await fetch(url + path, { headers: { 'x-sandbox-key': key } })).ok, `${path} does not open with the operator's key`)
    }
  })
  const given = [...readFileSync(composeFile, 'utf8').matchAll(/\$\{(\w*(?:KEY|SECRET|PASSWORD|TOKEN)\w*):-([^}]+)\}/g)]
  expectThat(given.length === 0, `compose.prod.yml has secrets of its own: ${given.map(([text]) => text).join(', ')}`)
  return { tried, findings }
}

/** One after another on the same data, as an operator starts it again with other settings. */
const dataDir = scratchFolder('production')
chmodSync(dataDir, 0o755)
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))

async function withPlatform<T>(env: Env, work: (url: string) => Promise<T>): Promise<T> {
  // A service of a fleet gives its reason in its own log.
  const said: string[] = []
  const platform = await startPlatform({
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'error', ...env },
    web: false,
    log: (line) => void said.push(line),
  }).catch((error: Error) => {
    throw new Error([error.message, ...said].join('\n'))
  })
  return work(platform.address).finally(platform.stop)
}
