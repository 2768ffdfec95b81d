import { type ServiceName, serviceNames } from '@operon/contracts/services'
import { z } from 'zod'

const url = (...schemes: string[]) =>
  z.string().refine((value) => schemes.some((scheme) => value.startsWith(scheme)), { error: `must begin with ${schemes.join(' or ')}` })

/** Settings that every process reads. A service's own are in its `config.ts`. */
export const KitConfig = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  PORT: z.coerce.number().int().min(0).max(65535).default(8080),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: url('http://', 'https://').optional(),
  DATA_DIR: z.string().default('.operon'),
  /** A server; each service's database has the service's name. `DATABASE_URL_<SERVICE>` names a whole database. */
  DATABASE_URL: url('postgres://', 'postgresql://').optional(),
  DATABASE_POOL: z.coerce.number().int().min(7).max(100).default(7),
  BUS_URL: url('local:', 'nats://', 'tls://').default('local:'),
  /** Until then NATS messages without the fleet's signature count, for a rolling upgrade from a version that sent none. A week at most. */
  BUS_UNSIGNED_UNTIL: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2026-11-25T12:00:00Z' })
    .transform((time) => Date.parse(time))
    .refine((time) => time < Date.now() + 7 * 86_400_000, { error: 'may be at most a week ahead: it is for one upgrade' })
    .optional(),
  QUEUE_URL: url('postgres:', 'redis://', 'rediss://').default('postgres:'),
  STORAGE_URL: url('file:', 's3://').default('file:'),
  CACHE_URL: url('memory:', 'redis://', 'rediss://').default('memory:'),
  /** How long a start waits for PostgreSQL, NATS and Redis, which may be starting as well. */
  START_WAIT_S: z.coerce.number().min(0).max(3600).default(30),
  TRUSTED_PROXIES: z.string().default(''),
  /** 32 bytes in base64; several with commas between, the newest first. Made and kept in DATA_DIR when absent; every process of a fleet needs the same. */
  MASTER_KEY: z
    .string()
    .refine((value) => value.split(',').every((key) => Buffer.from(key, 'base64').length === 32), { error: 'must be 32 bytes in base64' })
    .optional(),
  /** Opens the sandbox and automatic confirmation where real people may come, for a demonstration; its pages then ask for the key. */
  SANDBOX_KEY: z.string().min(20).optional(),
  PUBLISHABLE_KEYS: z.string().default('anon'),
  SERVICE_KEY: z.string().min(20).optional(),
  PRODUCT_NAME: z.string().default('Operon'),
  /** Of the release, where the image does not know it: read by `version.ts`. */
  OPERON_VERSION: z.string().optional(),
  /** A line for every answer of the gateway. */
  ACCESS_LOG: z.enum(['on', 'off']).default('off'),
  /** Lines for people or for programs where one process runs everything; by itself a service always writes JSON. */
  LOG_FORMAT: z.enum(['readable', 'json']).default('readable'),
  /** The key that opens `/metrics` of every process. */
  METRICS_TOKEN: z.string().min(20).optional(),
  /** `/metrics` is here alone, and no longer where the process answers. */
  METRICS_PORT: z.coerce.number().int().min(1).max(65535).optional(),
  /** How often waiting work is counted for `/metrics`. */
  MEASURE_EVERY_MS: z.coerce.number().int().min(500).default(20_000),
  /** Where traces go, by OTLP over HTTP. Nothing is recorded without it. */
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http://', 'https://').optional(),
  OTEL_TRACES_SAMPLER: z
    .enum(['always_on', 'always_off', 'traceidratio', 'parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'])
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  /** Read by the exporter: `key=value` pairs, for a collector that asks for a token. */
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  /** Read by the exporter: `key=value` pairs on every span. */
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional(),
  OTEL_BSP_SCHEDULE_DELAY: z.coerce.number().int().min(10).default(5000),
})
export type KitConfig = z.output<typeof KitConfig> & { PUBLIC_URL: string }

export type Env = Record<string, string | undefined>

/** A problem of set-up that the operator can mend: printed as it is, without a stack. */
export class SetupError extends Error {
  override name = 'SetupError'
}

/** Reads one schema from the environment and says every problem at once. Empty means absent. */
export function readEnv<T extends z.ZodType>(schema: T, env: Env): z.output<T> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw new SetupError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'))
}

export function readKitConfig(env: Env): KitConfig {
  const config = readEnv(KitConfig, env)
  if (config.SERVICE_KEY && config.PUBLISHABLE_KEYS.split(',').includes(config.SERVICE_KEY))
    throw new SetupError('SERVICE_KEY: is also a publishable key, so every visitor would administer the platform')
  return { ...config, PUBLIC_URL: (config.PUBLIC_URL ?? `http://localhost:${config.PORT}`).replace(/\/$/, '') }
}

/** Whether real people may come: in production, and at any address that is not this machine's own. */
export const facesPeople = ({ NODE_ENV, PUBLIC_URL }: { NODE_ENV?: string | undefined; PUBLIC_URL?: string | undefined }): boolean =>
  NODE_ENV === 'production' || (PUBLIC_URL !== undefined && !isLoopbackUrl(PUBLIC_URL))

/** Whether stand-ins, their inbox and automatic confirmation may exist. Beside real people they would give accounts away. */
export const sandboxIsOpen = (config: Parameters<typeof facesPeople>[0] & { SANDBOX_KEY?: string | undefined }): boolean =>
  !facesPeople(config) || Boolean(config.SANDBOX_KEY)

function isLoopbackUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

export const isServiceName = (name: string): name is ServiceName => (serviceNames as readonly string[]).includes(name)

export function databaseUrl(config: KitConfig, env: Env, service: ServiceName): string {
  const own = env[`DATABASE_URL_${service.toUpperCase().replaceAll('-', '_')}`]
  if (own) return own
  if (!config.DATABASE_URL) throw new SetupError('DATABASE_URL: is needed by a service that runs by itself')
  const server = new URL(config.DATABASE_URL)
  server.pathname = `/${service.replaceAll('-', '_')}`
  return server.href
}
