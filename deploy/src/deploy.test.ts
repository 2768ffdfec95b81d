import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { serviceNames } from '@operon/contracts/services'
import { thirdParties } from '@operon/contracts/third-parties'
import { type Env, readEnv } from '@operon/kit/config'
import { images } from '@operon/kit/testing/containers'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { composeFile } from './compose.ts'
import { generatedFiles, staleFiles } from './generate.ts'
import { pinned, readImages, unfilled } from './images.ts'
import { secretsFor } from './secrets.ts'
import { knownVariables, loadDefinitions, namesIn } from './services.ts'

type Service = {
  image: string
  user?: string
  command: string[]
  environment?: Record<string, string>
  volumes?: string[]
  ports?: string[]
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  pids_limit?: number
  logging?: { options: Record<string, string> }
  deploy?: { resources: { limits: { memory: string } } }
}
type Compose = { services: Record<string, Service>; volumes: object }

const root = resolve(import.meta.dirname, '../..')
const text = (path: string) => readFileSync(join(root, path), 'utf8')
const read = (path: string) => parse(text(path), { merge: true }) as Compose
const [safe, demo] = [read('compose.prod.yml'), read('docker-compose.demo.yml')]
const oursIn = (compose: Compose) =>
  Object.entries(compose.services).filter(([name, service]) => service.image === 'operon' && name !== 'roles')
const entryOf = (name: string) => (name === 'gateway' ? 'gateway/src/main.ts' : `services/${name}/src/main.ts`)
const upper = (name: string) => name.toUpperCase().replaceAll('-', '_')

test('each folder of services is on the one list, and what is written from the list is up to date', async () => {
  expect(readdirSync(join(root, 'services')).sort()).toEqual([...serviceNames].sort())
  expect(await staleFiles()).toEqual([])
})

test('a file that somebody changed by hand is written as the list wants it', async () => {
  const files = await generatedFiles()
  expect(Object.keys(files).sort()).toEqual([
    'Tiltfile',
    'compose.prod.yml',
    'deploy/Dockerfile',
    'deploy/kubernetes/adapter.yaml',
    'deploy/kubernetes/migrate.yaml',
    'deploy/kubernetes/operon.yaml',
    'deploy/kubernetes/secrets.yaml',
    'deploy/kubernetes/settings.yaml',
    'deploy/observability/alerts.yml',
    'deploy/observability/dashboard.json',
    'deploy/package.json',
    'docker-compose.demo.yml',
    'docker-compose.yml',
    'docs/apps.md',
    'docs/runbooks.md',
  ])
  for (const name of serviceNames) {
    expect(files.Tiltfile).toContain(`dc_resource('${name}'`)
    expect(JSON.parse(files['deploy/package.json']!).dependencies[`@operon/${name}`]).toBe('workspace:*')
  }
})

test('each container starts the program of its service, and the gateway knows where each is', () => {
  for (const [compose, names] of [
    [safe, serviceNames.filter((name) => name !== 'sandbox')],
    [demo, serviceNames],
  ] as const) {
    expect(
      oursIn(compose)
        .map(([name]) => name)
        .sort(),
    ).toEqual([...names, 'gateway'].sort())
    for (const [name, { command }] of oursIn(compose)) {
      expect(command).toEqual(['node', entryOf(name)])
      expect(existsSync(join(root, entryOf(name))), entryOf(name)).toBe(true)
    }
    const upstreams = Object.entries(compose.services.gateway!.environment!).filter(([, value]) => String(value).startsWith('http://'))
    expect(Object.fromEntries(upstreams)).toEqual(
      Object.fromEntries(names.map((name) => [`UPSTREAM_${upper(name)}`, `http://${name}:8080`])),
    )
  }
})

test('every variable that a container is given is one that a config reads', async () => {
  const known = await knownVariables()
  const given = [safe, demo].flatMap((compose) => oursIn(compose).flatMap(([, service]) => Object.keys(service.environment ?? {})))
  const image = [...text('deploy/Dockerfile').matchAll(/^ENV (.+)$/gm)].flatMap((match) =>
    match[1]!.split(' ').map((pair) => pair.split('=')[0]!),
  )
  expect([...new Set([...given, ...image])].filter((name) => !known.has(name) && !name.startsWith('NODE_'))).toEqual([])
})

test('every setting that a service reads can be given to its container: without a key the sandbox would answer', async () => {
  for (const { name, config } of await loadDefinitions()) {
    const theirs = namesIn(config).filter((variable) => variable !== 'NODE_ENV')
    expect(Object.keys(demo.services[name]!.environment ?? {}), name).toEqual(expect.arrayContaining(theirs))
  }
})

test('the compose file without a name is the one for real people', () => {
  expect(parse(text('docker-compose.yml'))).toEqual({ include: ['compose.prod.yml'] })
})

test("the compose file for real people has no sandbox, no password of its own, and each service its own role and no other's password", () => {
  const written = text('compose.prod.yml')
  expect([...written.matchAll(/\$\{(\w*(?:KEY|SECRET|PASSWORD|TOKEN)\w*):-([^}]+)\}/g)].map(([found]) => found)).toEqual([])
  expect(written).not.toMatch(/AUTOCONFIRM:-true|NODE_ENV: dev|sandbox:/)
  expect(written).toMatch(/PUBLIC_URL: \$\{PUBLIC_URL:\?/)
  for (const [name, { environment = {} }] of oursIn(safe)) {
    const passwords = [...JSON.stringify(environment).matchAll(/POSTGRES_PASSWORD\w*/g)].map(([found]) => found)
    expect(passwords, name).toEqual(name === 'gateway' ? [] : [`POSTGRES_PASSWORD_${upper(name)}`])
    expect(environment.DATABASE_URL, name).toBeUndefined()
    expect(environment.BUS_URL).toContain('NATS_PASSWORD')
    expect([environment.QUEUE_URL, environment.CACHE_URL].every((url) => url!.includes('REDIS_PASSWORD'))).toBe(true)
  }
})

test('no container gains rights, keeps a capability or writes to its root, and only the gateway has a port, in the demo for this machine alone', () => {
  for (const compose of [safe, demo])
    for (const [name, service] of Object.entries(compose.services)) {
      expect(service, name).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
      expect(service.ports ?? [], name).toHaveLength(name === 'gateway' ? 1 : 0)
    }
  expect(demo.services.gateway!.ports![0]).toMatch(/^127\.0\.0\.1:/)
})

test('each container has a bound for its memory, its processes and its logs', () => {
  for (const compose of [safe, demo])
    for (const [name, service] of Object.entries(compose.services)) {
      expect(service.deploy?.resources.limits.memory, name).toMatch(/^(\d+[mg]|\$\{POSTGRES_MEMORY:-4g\})$/)
      expect(service.pids_limit, name).toBeGreaterThan(0)
      expect(Number(service.logging?.options['max-file']), name).toBeGreaterThan(1)
    }
})

test('the settings of traces and metrics reach every process of the fleet', () => {
  const wanted = [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_TRACES_SAMPLER',
    'OTEL_RESOURCE_ATTRIBUTES',
    'METRICS_TOKEN',
    'ACCESS_LOG',
    'OPERON_VERSION',
  ]
  for (const compose of [safe, demo])
    for (const [name, { environment = {} }] of oursIn(compose))
      expect(Object.keys(environment), name).toEqual(expect.arrayContaining(wanted))
})

test('npm run secrets makes what the compose file asks for, once, and takes the master key that is there', () => {
  const wanted = [...new Set([...text('compose.prod.yml').matchAll(/\$\{(\w+):\?/g)].map((match) => match[1]!))].filter(
    (name) => name !== 'PUBLIC_URL',
  )
  const first = secretsFor(text('compose.prod.yml'), '', 'kept')
  expect(first.map((line) => line.split('=')[0]).sort()).toEqual(wanted.sort())
  expect(first).toContain('MASTER_KEY=kept')
  expect(new Set(first.map((line) => line.split('=')[1])).size).toBe(first.length)
  for (const line of first) expect(line).toMatch(/^[A-Z_]+=(kept|[0-9a-f]{48})$/)
  expect(secretsFor(text('compose.prod.yml'), first.join('\n'), null)).toEqual([])
})

test('an image is named by the digest that the lock has, and an unfilled one is told', async () => {
  const digest = `sha256:${'a'.repeat(64)}`
  const images = readImages(
    `# a comment\nnode:24-bookworm-slim unfilled\npostgres:18 ${digest}\nnats:2.12-alpine unfilled\nredis:8-alpine unfilled\nminio/minio unfilled\n`,
  )
  expect(await composeFile(images, { demo: false })).toContain(`image: postgres:18@${digest}`)
  expect(unfilled(images)).not.toContain('postgres:18')
  expect(() => pinned(images, 'postgres:17')).toThrow('does not name postgres:17')
  expect(() => readImages('postgres:18 latest')).toThrow('neither a digest')
  const named = [...text('compose.prod.yml').matchAll(/image: (\S+)/g), ...text('deploy/Dockerfile').matchAll(/^FROM (\S+)/gm)].map(
    (match) => match[1]!.split('@')[0]!,
  )
  expect([...new Set(named)].filter((name) => !['operon', 'fetched'].includes(name)).sort()).toEqual([...readImages().keys()].sort())
})

test('npm run images ends where no Docker answers, says so of each image, and leaves the lock as it is', () => {
  const lock = () => readFileSync(join(root, 'deploy/images.lock'), 'utf8')
  const before = lock()
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'deploy/src/images.ts')], { encoding: 'utf8', env: { PATH: '' } })
  expect(status, stderr).toBe(0)
  for (const name of readImages().keys()) expect(stderr).toContain(`Docker could not tell the digest of ${name};`)
  expect(lock()).toBe(before)
})

test('with no keys the sandbox plays everybody, and nobody for whom there is one', async () => {
  const definitions = await loadDefinitions()
  const sandboxed = (env: Env) => definitions.flatMap((service) => service.sandboxed?.(readEnv(service.config, env)) ?? [])
  expect(new Set(sandboxed({}))).toEqual(new Set(Object.keys(thirdParties)))
  const stripe = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' }
  const mail = { SMTP_URL: 'smtp://mail.example', SMS_API_URL: 'https://sms.example' }
  const models = { AI_BASE_URL: 'https://models.example/v1', DOMAIN_REGISTRIES: 'live' }
  expect(sandboxed({ ...stripe, ...mail, ...models, AUTH_SANDBOX_OAUTH: 'false', CONNECT_SANDBOX: 'false' })).toEqual([])
  expect(sandboxed({ ...stripe, ...mail, OPENAI_API_KEY: 'sk-1' })).toEqual([
    ...['oauth', 'apps', 'anthropic', 'google', 'perplexity', 'rdap'],
    ...['google', 'fal'],
  ])
})

test('what the stores keep is in a volume of its own each', () => {
  for (const compose of [safe, demo]) {
    const used = Object.values(compose.services).flatMap((service) => service.volumes ?? [])
    for (const name of ['postgres', 'nats', 'redis', 'minio'])
      expect(
        used.filter((volume) => volume.startsWith(`${name}:/`)),
        name,
      ).toHaveLength(1)
    expect(compose.services.redis!.command.join(' ')).toContain('--appendonly yes')
    expect(compose.services.redis!.command.join(' ')).toContain('noeviction')
  }
  expect(oursIn(safe).flatMap(([, service]) => service.volumes ?? [])).toEqual([])
})

test('each store asks for a password, in the fleet for real people for one that only its operator knows', () => {
  for (const [{ services }, secret] of [
    [safe, (name: string) => `\${${name}:?is missing, npm run secrets writes it into .env}`],
    [demo, () => 'demo'],
  ] as const) {
    const { nats, redis, postgres, minio } = services
    expect(nats!.command.join(' ')).toContain(` --user operon --pass ${secret('NATS_PASSWORD')}`)
    expect(redis!.command.join(' ')).toContain(` --requirepass ${secret('REDIS_PASSWORD')} `)
    expect(postgres!.environment!.POSTGRES_PASSWORD).toBe(secret('POSTGRES_PASSWORD'))
    expect(postgres!.environment).not.toHaveProperty('POSTGRES_HOST_AUTH_METHOD')
    expect(minio!.environment!.MINIO_ROOT_PASSWORD).toBe(services === demo.services ? 'demo-demo' : secret('MINIO_PASSWORD'))
  }
})

test('tests run the brokers and the store that the fleet runs', () => {
  const tag = (name: string) => safe.services[name]!.image.split('@')[0]
  expect(images).toEqual({ 'nats-server': tag('nats'), 'redis-server': tag('redis'), minio: tag('minio') })
})
