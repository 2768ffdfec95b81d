import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { serviceNames } from '@operon/contracts/services'
import { thirdParties } from '@operon/contracts/third-parties'
import { type Env, readEnv } from '@operon/kit/config'
import { images } from '@operon/kit/testing/containers'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { knownVariables, loadDefinitions, namesIn } from './services.ts'

type Compose = {
  services: Record<string, { image: string; command: string[]; environment?: Record<string, unknown>; volumes?: string[] }>
  volumes: object
}

const root = resolve(import.meta.dirname, '../..')
const text = (path: string) => readFileSync(join(root, path), 'utf8')
const compose = parse(text('docker-compose.yml'), { merge: true }) as Compose
const ours = Object.entries(compose.services).filter(([, service]) => service.image === 'operon')
const processNames = [...serviceNames, 'gateway'].sort()
const entryOf = (name: string) => (name === 'gateway' ? 'gateway/src/main.ts' : `services/${name}/src/main.ts`)

test('the list of services, the folders, the compose file, the Tiltfile and the image name the same services', () => {
  expect(readdirSync(join(root, 'services')).sort()).toEqual([...serviceNames].sort())
  expect(ours.map(([name]) => name).sort()).toEqual(processNames)
  const tilt = [...text('Tiltfile').matchAll(/dc_resource\('([^']+)', labels=\['operon'\]/g)].map((match) => match[1])
  expect(tilt.sort()).toEqual(processNames)
  const copied = [...text('deploy/Dockerfile').matchAll(/^COPY services\/([^/]+)\/package\.json/gm)].map((match) => match[1])
  expect(copied.sort()).toEqual([...serviceNames].sort())
})

test('each container starts the program of its service', () => {
  for (const [name, { command }] of ours) {
    expect(command).toEqual(['node', entryOf(name)])
    expect(existsSync(join(root, entryOf(name))), entryOf(name)).toBe(true)
  }
})

test('the gateway knows the address of each service', () => {
  const upstreams = Object.entries(compose.services.gateway!.environment!).filter(([name]) => name.startsWith('UPSTREAM_'))
  expect(Object.fromEntries(upstreams)).toEqual(
    Object.fromEntries(serviceNames.map((name) => [`UPSTREAM_${name.toUpperCase().replaceAll('-', '_')}`, `http://${name}:8080`])),
  )
})

test('every variable that a container is given is one that a config reads', async () => {
  const known = await knownVariables()
  const given = ours.flatMap(([, service]) => Object.keys(service.environment ?? {}))
  const image = [...text('deploy/Dockerfile').matchAll(/^ENV (.+)$/gm)].flatMap((match) =>
    match[1]!.split(' ').map((pair) => pair.split('=')[0]!),
  )
  expect([...new Set([...given, ...image])].filter((name) => !known.has(name))).toEqual([])
})

test('each service gets the keys and addresses of the third parties that it speaks to: without them the sandbox would answer', async () => {
  for (const { name, config } of await loadDefinitions()) {
    const theirs = namesIn(config).filter((variable) => /_(KEY|SECRET|ID|SID|TOKEN|URL|FROM|REGISTRIES)$/.test(variable))
    expect(Object.keys(compose.services[name]!.environment ?? {}), name).toEqual(expect.arrayContaining(theirs))
  }
})

test('with no keys the sandbox plays everybody, and nobody for whom there is one', async () => {
  const definitions = await loadDefinitions()
  const sandboxed = (env: Env) => definitions.flatMap((service) => service.sandboxed?.(readEnv(service.config, env)) ?? [])
  expect(new Set(sandboxed({}))).toEqual(new Set(Object.keys(thirdParties)))
  const stripe = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' }
  const mail = { SMTP_URL: 'smtp://mail.example', SMS_API_URL: 'https://sms.example' }
  const models = { AI_BASE_URL: 'https://models.example/v1', DOMAIN_REGISTRIES: 'live' }
  expect(sandboxed({ ...stripe, ...mail, ...models, AUTH_SANDBOX_OAUTH: 'false' })).toEqual([])
  expect(sandboxed({ ...stripe, ...mail, OPENAI_API_KEY: 'sk-1' })).toEqual(['oauth', 'anthropic', 'google', 'perplexity', 'rdap'])
})

test('what the stores keep is in volumes', () => {
  for (const name of ['postgres', 'nats', 'redis', 'minio'])
    expect(compose.services[name]!.volumes?.[0], name).toMatch(new RegExp(`^${name}:/`))
  expect(compose.services.redis!.command.join(' ')).toContain('--appendonly yes')
  expect(compose.services.redis!.command.join(' ')).toContain('noeviction')
})

test('tests run the brokers and the store that the fleet runs', () => {
  expect(images).toEqual({
    'nats-server': compose.services.nats!.image,
    'redis-server': compose.services.redis!.image,
    minio: compose.services.minio!.image,
  })
})
