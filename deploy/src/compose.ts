import { type ServiceName, serviceNames } from '@operon/contracts/services'
import { GatewaySettings } from '@operon/gateway/settings'
import { KitConfig } from '@operon/kit/config'
import { RateSettings } from '@operon/kit/limits'
import { type Images, pinned } from './images.ts'
import { loadDefinitions, namesIn } from './services.ts'

const upper = (name: string) => name.toUpperCase().replaceAll('-', '_')
const databaseOf = (name: string) => name.replaceAll('-', '_')
const given = (name: string, fallback = '') => `\${${name}:-${fallback}}`
const required = (name: string, how: string) => `\${${name}:?is missing, ${how}}`
/** Settings that the image and the network decide. */
const decided = new Set(['NODE_ENV', 'PORT', 'HOST', 'DATA_DIR', 'DATABASE_URL', 'TRUSTED_PROXIES'])

/**
 * The fleet in containers. The safe one has no sandbox, no password of its own and needs an address and secrets; `demo` is for trying it out on
 * this machine: with the sandbox, known passwords and one volume for the keys, reachable from here alone.
 */
export async function composeFile(images: Images, { demo }: { demo: boolean }): Promise<string> {
  const definitions = await loadDefinitions()
  const services: readonly ServiceName[] = demo ? serviceNames : serviceNames.filter((name) => name !== 'sandbox')
  const secret = (name: string) => (demo ? 'demo' : required(name, 'npm run secrets writes it into .env'))
  const databaseUrl = (name: ServiceName) =>
    `postgres://${databaseOf(name)}:${secret(`POSTGRES_PASSWORD_${upper(name)}`)}@postgres:5432/${databaseOf(name)}`

  const common: Record<string, string> = {
    ...(demo && { NODE_ENV: 'development' }),
    PUBLIC_URL: demo
      ? given('PUBLIC_URL', 'http://localhost:8080')
      : required('PUBLIC_URL', 'set it in .env to the address that people open'),
    BUS_URL: `nats://operon:${secret('NATS_PASSWORD')}@nats:4222`,
    QUEUE_URL: `redis://:${secret('REDIS_PASSWORD')}@redis:6379/0`,
    CACHE_URL: `redis://:${secret('REDIS_PASSWORD')}@redis:6379/1`,
    STORAGE_URL: `s3://operon:${demo ? 'demo-demo' : secret('MINIO_PASSWORD')}@minio:9000/operon?ssl=false`,
    ...(!demo && { MASTER_KEY: secret('MASTER_KEY') }),
    // The gateway says whether there is a demo, identity opens it.
    DEMO_ACCOUNTS: given('DEMO_ACCOUNTS', demo ? 'true' : ''),
  }
  for (const name of [...namesIn(KitConfig), ...namesIn(RateSettings)])
    if (!decided.has(name) && (demo || name !== 'SANDBOX_KEY')) common[name] ??= given(name)
  const settingsOf = (names: string[]) =>
    Object.fromEntries(names.filter((name) => !(name in common) && !decided.has(name)).map((name) => [name, given(name)]))
  const ofDemo: Partial<Record<ServiceName, Record<string, string>>> = {
    identity: { AUTH_AUTOCONFIRM: given('AUTH_AUTOCONFIRM', 'true') },
    billing: { WEBHOOK_BASE_URL: given('WEBHOOK_BASE_URL', 'http://gateway:8080') },
    integrations: { WEBHOOK_BASE_URL: given('WEBHOOK_BASE_URL', 'http://gateway:8080') },
    sandbox: { SANDBOX_HOST: 'sandbox', SANDBOX_PORT_BASE: '9000' },
  }

  const gateway = {
    TRUSTED_PROXIES: given('TRUSTED_PROXIES'),
    ...settingsOf(namesIn(GatewaySettings)),
    ...Object.fromEntries(services.map((name) => [`UPSTREAM_${upper(name)}`, `http://${name}:8080`])),
  }
  const own = Object.fromEntries(
    definitions
      .filter(({ name }) => services.includes(name))
      .map(({ name, config }) => [
        name,
        { [`DATABASE_URL_${upper(name)}`]: databaseUrl(name), ...settingsOf(namesIn(config)), ...(demo && ofDemo[name]) },
      ]),
  )
  const roles = {
    DATABASE_URL: `postgres://operon:${secret('POSTGRES_PASSWORD')}@postgres:5432/postgres`,
    ...Object.fromEntries(services.map((name) => [`DATABASE_URL_${upper(name)}`, databaseUrl(name)])),
  }

  return `# Written by \`npm run generate\` from the list of services and their settings; README.md says what each setting does.
${
  demo
    ? `# To try the fleet on this machine: \`docker compose -f docker-compose.demo.yml up --build\`, then http://localhost:8080.
# Passwords are known and the sandbox plays who has no key, so nothing here is for real people: compose.prod.yml is.`
    : `# The fleet for real people: \`npm run secrets\`, PUBLIC_URL and SMTP_URL into .env, then \`docker compose up --build --detach\`: docker-compose.yml leads here.
# There is no sandbox here; docker-compose.demo.yml has one.`
}
x-environment: &environment
${settings(common, 2)}

x-hardened: &hardened
  restart: unless-stopped
  pids_limit: 512
  # A disk that logs have filled stops the database.
  logging: { driver: json-file, options: { max-size: 20m, max-file: "5" } }
  read_only: true
  cap_drop: [ALL]
  security_opt: ["no-new-privileges:true"]

x-service: &service
  <<: *hardened
  image: operon
  build:
    context: .
    dockerfile: deploy/Dockerfile
  environment:
    <<: *environment
${demo ? '  # The key that seals secrets is made once and kept there, for all of them.\n  volumes: ["operon:/data"]\n  tmpfs: ["/tmp"]' : '  # A service keeps nothing on its disk.\n  tmpfs: ["/tmp", "/data"]'}
  stop_grace_period: 35s
  deploy: { resources: { limits: { memory: 512m } } }
  depends_on:
    roles: { condition: service_completed_successfully }
    nats: { condition: service_started }
    redis: { condition: service_healthy }
    minio: { condition: service_started }

services:
${process('gateway', 'gateway/src/main.ts', gateway, `    ports: ["${demo ? '127.0.0.1:' : ''}\${PORT:-8080}:8080"]\n`)}
${services.map((name) => process(name, `services/${name}/src/main.ts`, own[name]!)).join('\n')}
  # Each service's role opens its own database and no other; a new service gets its own at the next start.
  roles:
    <<: *hardened
    image: operon
    restart: "no"
    command: ["node", "libs/kit/src/roles.ts"]
    tmpfs: ["/tmp", "/data"]
    deploy: { resources: { limits: { memory: 256m } } }
    environment:
${settings(roles, 6)}
    depends_on:
      postgres: { condition: service_healthy }

  postgres:
    <<: *hardened
    image: ${pinned(images, 'postgres:18')}
    user: postgres
    command: ["postgres", "-c", "max_connections=300"]
    environment:
      POSTGRES_USER: operon
      POSTGRES_PASSWORD: ${secret('POSTGRES_PASSWORD')}
      POSTGRES_DB: postgres
    volumes: ["postgres:/var/lib/postgresql"]
    shm_size: 256m
    deploy: { resources: { limits: { memory: "${given('POSTGRES_MEMORY', '4g')}" } } }
    tmpfs: ["/tmp", "/var/run/postgresql"]
    healthcheck: { test: ["CMD-SHELL", "pg_isready -U operon"], interval: 2s, timeout: 3s, retries: 30 }

  nats:
    <<: *hardened
    image: ${pinned(images, 'nats:2.12-alpine')}
    command: ["-js", "-sd", "/data", "-m", "8222", "--user", "operon", "--pass", "${secret('NATS_PASSWORD')}"]
    volumes: ["nats:/data"]
    deploy: { resources: { limits: { memory: 1g } } }

  # Without its log Redis would lose what it acknowledged since the last snapshot; a full memory must refuse, not forget.
  redis:
    <<: *hardened
    image: ${pinned(images, 'redis:8-alpine')}
    user: redis
    command: ["redis-server", "--requirepass", "${secret('REDIS_PASSWORD')}", "--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction"]
    environment:
      REDISCLI_AUTH: ${secret('REDIS_PASSWORD')}
    volumes: ["redis:/data"]
    deploy: { resources: { limits: { memory: 1g } } }
    healthcheck: { test: ["CMD", "redis-cli", "ping"], interval: 2s, timeout: 3s, retries: 30 }

  minio:
    <<: *hardened
    image: ${pinned(images, 'minio/minio')}
    command: ["server", "/data"]
    environment:
      MINIO_ROOT_USER: operon
      MINIO_ROOT_PASSWORD: ${demo ? 'demo-demo' : secret('MINIO_PASSWORD')}
    volumes: ["minio:/data"]
    tmpfs: ["/tmp", "/root/.minio"]
    deploy: { resources: { limits: { memory: 2g } } }

volumes:
${[...(demo ? ['operon'] : []), 'postgres', 'nats', 'redis', 'minio'].map((name) => `  ${name}:`).join('\n')}
`
}

const settings = (values: Record<string, string>, indent: number) =>
  Object.entries(values)
    .map(([name, value]) => `${' '.repeat(indent)}${name}: ${/^\d+$/.test(value) || value === 'true' ? `"${value}"` : value}`)
    .join('\n')

const process = (name: string, program: string, own: Record<string, string>, more = '') => `  ${name}:
    <<: *service
    command: ["node", "${program}"]
${more}    environment:
      <<: *environment
${settings(own, 6)}
`
