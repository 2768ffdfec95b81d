import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Event, Payload } from '@operon/contracts/contract'
import { findKey, type KeyAnswer } from '@operon/contracts/identity/keys'
import { createSigner } from 'fast-jwt'
import type { Env } from '../config.ts'
import { newId } from '../ids.ts'
import { hashOfKey } from '../keys.ts'
import { createInfra, type Infra, prepareService, type RunningService, type ServiceDefinition } from '../service.ts'
import { createLogger } from '../telemetry.ts'
import { testDatabase } from './database.ts'
import { recorderOf } from './recorder.ts'

export type TestUser = { id: string; email: string; token: string; headers: { authorization: string; apikey: string } }
export type TestPlatform = {
  infra: Infra
  services: Record<string, RunningService>
  dataDir: string
  /** Where the first service (or the one named) answers, over real HTTP. */
  url(service?: string): string
  /** A signed-in person; claims override. Only where identity itself is not among the services. */
  user(claims?: Record<string, unknown>): TestUser
  /** Calls a named function of the first service, as somebody or as nobody. */
  call(name: string, user: TestUser | null, body?: unknown, headers?: Record<string, string>): Promise<{ status: number; body: any }>
  /** Orders a fault of the sandbox beside it: `provider`, `kind`, for which `account`, how many `times`. */
  fault(order: { provider: string; kind?: string; [detail: string]: unknown }): Promise<unknown>
  /** Ends the faults that were ordered, or those for one account. */
  mend(account?: string): Promise<unknown>
  /** Sends a file up as the browser does, and returns its id. */
  upload(user: TestUser, content: string | Uint8Array, as?: { filename?: string; filetype?: string }): Promise<string>
  /** An API key of a person's own, as identity would know it; `key_revoked` ends it. Only where identity itself is not among the services. */
  key(userId: string, more?: { scopes?: string[]; monthly_prompts?: number | null }): { id: string; key: string }
  /** Publishes an event as another service would, and resolves when it is in the outbox. */
  emit<E extends Event>(event: E, userId: string | null, payload: Payload<E>, id?: string): Promise<string>
  close(): Promise<void>
}

/** Services in one process on real Postgres, the local bus and real HTTP: what a test talks to. */
export async function startTestPlatform(
  definitions: ServiceDefinition[],
  env: Env = {},
  { onLine }: { onLine?: (line: Record<string, unknown>) => void } = {},
): Promise<TestPlatform> {
  const dataDir = await mkdtemp(join(tmpdir(), 'operon-test-'))
  const databases = await Promise.all(definitions.map((definition) => testDatabase(definition)))
  const urls = Object.fromEntries(
    definitions.map(({ name }, i) => [`DATABASE_URL_${name.toUpperCase().replaceAll('-', '_')}`, databases[i]!.url]),
  )
  const infra = await createInfra(
    {
      NODE_ENV: 'test',
      DATA_DIR: dataDir,
      PUBLIC_URL: 'http://localhost:8080',
      DATABASE_POOL: '8',
      SERVICE_KEY: 'test-service-key-0123456789',
      // A catalogue is empty until a test fills it.
      TEMPLATE_LIBRARY: 'off',
      ...urls,
      ...env,
    },
    {
      log: createLogger(env.LOG_LEVEL ?? process.env.LOG_LEVEL ?? 'error', onLine && { write: (line) => onLine(JSON.parse(line)) }),
    },
  )
  const recorder = recorderOf(process.env.OPERON_RECORD)
  recorder?.openedIn(infra.shared)
  const running: RunningService[] = []
  for (const definition of definitions) running.push(await prepareService(definition, infra))
  for (const { rt } of running) recorder?.listenToJobs(rt.jobs)
  const services = Object.fromEntries(running.map((service) => [service.name, service]))
  const keys = testKeys(infra.config.PUBLIC_URL)
  const apiKeys = new Map<string, Extract<KeyAnswer, { state: 'good' }>>()
  if (!services.identity) {
    // Somebody has to answer for keys where identity does not run.
    const { openBus } = await import('../open.ts')
    const bus = await openBus(infra, { service: 'identity', db: running[0]!.rt.db, log: infra.log })
    bus.reply('identity.verification', async () => ({ keys: [keys.jwk], issuer: keys.issuer, revoked_sessions: [], suspended_users: [] }))
    bus.reply(findKey.name, async (asked) => apiKeys.get((asked as { input: { hash: string } }).input.hash) ?? { state: 'unknown' })
    await bus.start()
  }
  for (const service of running) await service.start()
  await Promise.all(running.map((service) => service.app.listen({ host: '127.0.0.1', port: 0 })))

  const url = (name: string = running[0]!.name) => `http://127.0.0.1:${(services[name]!.app.server.address() as { port: number }).port}`
  return {
    infra,
    services,
    dataDir,
    url,
    async call(name, user, body = {}, headers = {}) {
      const response = await fetch(`${url()}/functions/v1/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...user?.headers, ...headers },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as any }
    },
    async fault(order) {
      const response = await fetch(`${url('sandbox')}/sandbox/faults`, { method: 'POST', body: JSON.stringify(order) })
      if (!response.ok) throw new Error(`the fault was refused: ${response.status} ${await response.text()}`)
    },
    mend: (account) => fetch(`${url('sandbox')}/sandbox/faults${account ? `?account=${account}` : ''}`, { method: 'DELETE' }),
    async upload(user, content, as = {}) {
      const at = `${url()}/files/v1/${running[0]!.name}/~uploads`
      const tus = { ...user.headers, 'tus-resumable': '1.0.0' }
      const body = Buffer.from(content as Uint8Array)
      const metadata = Object.entries(as).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
      const begin = { ...tus, 'upload-length': String(body.length), ...(metadata.length && { 'upload-metadata': metadata.join() }) }
      const id = (await fetch(at, { method: 'POST', headers: begin })).headers.get('location')!.split('/').at(-1)!
      const headers = { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
      const sent = await fetch(`${at}/${id}`, { method: 'PATCH', headers, body })
      if (sent.status !== 204) throw new Error(`the upload was refused: ${sent.status} ${await sent.text()}`)
      return id
    },
    user: (claims = {}) => keys.user(claims),
    key(user_id, { scopes = ['chat', 'models'], monthly_prompts = null } = {}) {
      const [id, key] = [newId(), `opk_${newId()}`]
      apiKeys.set(hashOfKey(key), { state: 'good', key: { id, user_id, scopes, monthly_prompts } })
      return { id, key }
    },
    async emit(event, userId, payload, id = newId()) {
      const { openBus } = await import('../open.ts')
      const bus = await openBus(infra, { service: event.name.split('.')[0]!, db: running[0]!.rt.db, log: infra.log })
      await bus.send([{ id, name: event.name, at: new Date().toISOString(), user_id: userId, payload }])
      return id
    },
    async close() {
      for (const service of running.toReversed()) await service.drain()
      for (const service of running.toReversed()) await service.close()
      await Promise.all(databases.map((database) => database.drop()))
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export const startTestService = (definition: ServiceDefinition, env: Env = {}) => startTestPlatform([definition], env)

function testKeys(publicUrl: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = `${publicUrl}/auth/v1`
  const sign = createSigner({ key: pem(privateKey), algorithm: 'ES256', kid: 'test', expiresIn: 3_600_000 })
  return {
    issuer,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid: 'test', alg: 'ES256' as const },
    user(claims: Record<string, unknown>): TestUser {
      const id = (claims.sub as string | undefined) ?? newId()
      const email = (claims.email as string | undefined) ?? `${id}@example.com`
      const amr = [{ method: 'password', timestamp: Math.floor(Date.now() / 1000) }]
      const token = sign({
        iss: issuer,
        aud: 'authenticated',
        role: 'authenticated',
        sub: id,
        email,
        session_id: newId(),
        aal: 'aal1',
        amr,
        is_anonymous: false,
        app_metadata: {},
        user_metadata: {},
        ...claims,
      })
      return { id, email, token, headers: { authorization: `Bearer ${token}`, apikey: 'anon' } }
    },
  }
}

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string
