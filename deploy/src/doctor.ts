import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type ThirdParty, thirdParties } from '@operon/contracts/third-parties'
import { type Env, facesPeople, readEnv, SetupError, sandboxIsOpen } from '@operon/kit/config'
import type { ServiceDefinition } from '@operon/kit/service'
import pg from 'pg'
import { exitWith, launcherEnv } from './launcher.ts'
import { checkEnv, knownVariables, loadDefinitions } from './services.ts'

/** `wrong` keeps people from using it or opens it to strangers; `look` is a choice somebody should have made. */
export type Finding = { level: 'wrong' | 'look'; what: string; instead: string }

const root = resolve(import.meta.dirname, '../..')
/** Names that a launcher or Node reads, beside the services' settings. */
const launchers = ['SERVICES', 'ADVISORIES', 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'COMPOSE_PROJECT_NAME', 'COMPOSE_FILE']

const setting: Record<ThirdParty, [variable: string, without: string]> = {
  stripe: ['STRIPE_SECRET_KEY', 'nobody can pay, and trials cannot begin'],
  openai: ['OPENAI_API_KEY (or AI_BASE_URL)', 'its models do not answer'],
  anthropic: ['ANTHROPIC_API_KEY (or AI_BASE_URL)', 'its models do not answer'],
  google: ['GOOGLE_API_KEY (or AI_BASE_URL)', 'its models do not answer'],
  perplexity: ['PERPLEXITY_API_KEY (or AI_BASE_URL)', 'its models do not answer'],
  rdap: ['DOMAIN_REGISTRIES=live', 'domain names cannot be checked'],
  smtp: ['SMTP_URL', 'sign-ups by email are refused, since nobody could confirm one, and no notice leaves'],
  sms: ['SMS_API_URL', 'sign-ups by phone are refused, since nobody could confirm one, and guests are not reminded by text'],
  elevenlabs: ['ELEVENLABS_API_KEY (or OPENAI_API_KEY, AI_SPEECH_BASE_URL)', 'the browser reads aloud in its own voice'],
  fal: ['FAL_KEY (or AI_BASE_URL)', 'its image models do not draw'],
  oauth: ['AUTH_<PROVIDER>_CLIENT_ID and _SECRET', 'nobody signs in with that provider'],
  apps: ['CONNECT_<VENDOR>_CLIENT_ID and _SECRET', 'the apps of that vendor cannot be connected'],
}

/** Finds wrong and missing settings of a platform without starting it. */
export function examine(env: Env, definitions: ServiceDefinition[]): Finding[] {
  const findings: Finding[] = []
  const wrong = (what: string, instead: string) => void findings.push({ level: 'wrong', what, instead })
  const look = (what: string, instead: string) => void findings.push({ level: 'look', what, instead })
  try {
    checkEnv(env, definitions)
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    for (const line of error.message.split('\n').slice(1)) wrong(line.trim(), 'correct it: no process starts with it')
    return findings
  }
  if (!facesPeople(env)) {
    look('This is a machine of your own: the sandbox plays whoever has no key', 'set PUBLIC_URL to the address that people open')
    return findings
  }
  const { PUBLIC_URL = '' } = env
  if (!PUBLIC_URL) wrong('PUBLIC_URL is not set: links in emails lead to this machine', 'set it to the address that people open')
  else if (!PUBLIC_URL.startsWith('https://'))
    wrong('PUBLIC_URL is not https: passwords and sessions travel in the open', 'put TLS in front of it')
  if (env.SANDBOX_KEY) wrong('SANDBOX_KEY opens the sandbox: whoever has it reads every email', 'take it out where people keep data')
  for (const name of ['AUTH_AUTOCONFIRM', 'AUTH_PHONE_AUTOCONFIRM'])
    if (env[name] === 'true') wrong(`${name} lets anybody claim any address`, 'take it out')
  for (const [name, value] of Object.entries(env))
    if (/_URL(_|$)/.test(name) && value && hasKnownPassword(value))
      wrong(
        `${name} has a password that everybody knows`,
        name === 'SMTP_URL' ? 'set the one of your mail server' : 'npm run secrets makes others',
      )
  if (env.DATABASE_URL && !env.MASTER_KEY)
    wrong(
      'MASTER_KEY is not set: each machine makes one of its own, and none opens what another sealed',
      'npm run secrets, or openssl rand -base64 32',
    )
  if (!sandboxIsOpen(env))
    for (const party of missing(env, definitions)) {
      const [variable, without] = setting[party]
      const say = party === 'smtp' ? wrong : look
      say(`${thirdParties[party]} has no key: ${without}`, `set ${variable}`)
    }
  if (!env.TRUSTED_PROXIES)
    look('TRUSTED_PROXIES is not set: behind a proxy every visitor shares its limits', "set it to the proxy's address")
  if (!env.AUTH_STAFF_EMAILS) look('AUTH_STAFF_EMAILS is not set: nobody can open /staff', 'name the people who operate it')
  if (!env.AUTH_CAPTCHA_URL) look('AUTH_CAPTCHA_URL is not set: programs may sign up, within the limits', 'set a captcha')
  if (!env.METRICS_TOKEN && !env.METRICS_PORT)
    look('/metrics asks for the service key', 'set METRICS_TOKEN, or METRICS_PORT to a port that only Prometheus reaches')
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT) look('No traces are kept', 'set OTEL_EXPORTER_OTLP_ENDPOINT to a collector')
  if (!env.DATABASE_URL && !Object.keys(env).some((name) => name.startsWith('DATABASE_URL_')))
    look('The database is in DATA_DIR, on this disk alone', 'npm run backup every night, to another machine')
  return findings
}

function missing(env: Env, definitions: ServiceDefinition[]): ThirdParty[] {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  return [...new Set(definitions.flatMap((each) => each.sandboxed?.(readEnv(each.config, given)) ?? []))]
}

const KNOWN = new Set(['demo', 'demo-demo', 'password', 'postgres', 'operon', 'secret', 'changeme', 'admin', 'minioadmin', 'guest'])
function hasKnownPassword(url: string): boolean {
  return URL.canParse(url) && KNOWN.has(decodeURIComponent(new URL(url).password).toLowerCase())
}

/** Of `.env` every name that nothing reads; of the shell, which has many others, only what looks like a slip. */
export function unknownNames(inFile: string[], inShell: string[], known: Set<string>): { name: string; meant: string | null }[] {
  const nearest = (name: string) => [...known].find((each) => isSlip(name, each)) ?? null
  const ofFile = inFile.filter((name) => !known.has(name)).map((name) => ({ name, meant: nearest(name) }))
  const ofShell = inShell
    .filter((name) => !known.has(name) && !inFile.includes(name))
    .map((name) => ({ name, meant: nearest(name) }))
    .filter(({ meant }) => meant !== null)
  return [...ofFile, ...ofShell]
}

/** One letter or two wrong, missing, doubled or in each other's place; of short names one. */
function isSlip(a: string, b: string): boolean {
  const most = Math.min(a.length, b.length) < 8 ? 1 : 2
  return Math.abs(a.length - b.length) <= most && a.length > 4 && distance(a, b) <= most
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + Number(a[i - 1] !== b[j - 1]))
    row = next
  }
  return row[b.length]!
}

/** Finds where a database server of one's own falls short. */
async function examineServer(url: string): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ version: number; archive: string; connections: number }>(
      `select current_setting('server_version_num')::int as version, current_setting('archive_mode') as archive, current_setting('max_connections')::int as connections`,
    )
    const [{ version, archive, connections }] = rows as [(typeof rows)[0]]
    return [
      ...(version < 180_000 ? [{ level: 'wrong' as const, what: 'PostgreSQL is older than 18', instead: 'upgrade it' }] : []),
      ...(archive === 'off'
        ? [
            {
              level: 'look' as const,
              what: 'PostgreSQL archives no log: a loss costs everything since the last backup',
              instead: 'see "Point in time" in docs/operating.md',
            },
          ]
        : []),
      ...(connections < 100
        ? [{ level: 'look' as const, what: `max_connections is ${connections}`, instead: 'seven a service: see "Scaling a service"' }]
        : []),
    ]
  } catch (error) {
    const { hostname } = new URL(url)
    return [
      {
        level: 'wrong',
        what: `PostgreSQL at ${hostname} does not answer (${(error as Error).message})`,
        instead: 'is it there, and DATABASE_URL right?',
      },
    ]
  } finally {
    await client.end().catch(() => {})
  }
}

async function main() {
  const file = existsSync('.env') ? readFileSync('.env', 'utf8') : ''
  const inFile = [...file.matchAll(/^(?:export )?(\w+)=/gm)].map((match) => match[1]!)
  const inShell = Object.keys(process.env)
  const env = launcherEnv()
  const definitions = await loadDefinitions()
  const compose = readFileSync(join(root, 'compose.prod.yml'), 'utf8')
  const known = new Set([...(await knownVariables()), ...launchers, ...[...compose.matchAll(/\$\{(\w+)/g)].map((match) => match[1]!)])
  const findings: Finding[] = [
    ...unknownNames(inFile, inShell, known).map(({ name, meant }) => ({
      level: 'wrong' as const,
      what: `${name} is read by nothing`,
      instead: meant ? `is ${meant} meant?` : 'take it out',
    })),
    ...examine(env, definitions),
    ...(env.DATABASE_URL ? await examineServer(env.DATABASE_URL) : []),
  ]
  for (const { level, what, instead } of findings.toSorted((a, b) => Number(b.level === 'wrong') - Number(a.level === 'wrong')))
    console.log(`${level === 'wrong' ? 'WRONG' : 'look '}  ${what}\n       ${instead}`)
  const count = findings.filter(({ level }) => level === 'wrong').length
  console.log(count ? `\n${count} to mend before people come.` : '\nNothing is wrong.')
  process.exitCode = count ? 1 : 0
}

if (import.meta.main) await main().catch(exitWith)
