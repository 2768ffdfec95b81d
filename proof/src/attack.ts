import { randomBytes } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import { scratchFolder } from '@operon/deploy/machine'
import { inTurn } from '@operon/deploy/turn'
import { flushTraces } from '@operon/kit/tracing'
import { startListener } from './attack/listener.ts'
import { startModel } from './attack/model.ts'
import { asFleet, production, SERVICE_KEY, startPlatform } from './attack/platform.ts'
import { type Attack, openWorld, STAFF, staffAddress, type Told } from './attack/world.ts'

// `npm run attack [-- --short] [--fleet [--tcp]] [--seed 7] [S1 S5 …]`: attacks on a platform of its own, in production settings, over its public
// door. Ends non-zero when one got through.
const attacks: Record<string, () => Promise<{ attack: Attack }>> = {
  S1: () => import('./attack/access.ts'),
  S2: () => import('./attack/tenants.ts'),
  S3: () => import('./attack/assignment.ts'),
  S5: () => import('./attack/fuzz.ts'),
  S6: () => import('./attack/identity-tokens.ts'),
  S7: () => import('./attack/undeclared.ts'),
  S8: () => import('./attack/identity-guessing.ts'),
  'S10-12': () => import('./attack/browser.ts'),
  S13: () => import('./attack/uploads.ts'),
  S14: () => import('./attack/rendering.ts'),
  S15: () => import('./attack/injection.ts'),
  S16: () => import('./attack/inside.ts'),
  S18: () => import('./attack/webhooks.ts'),
  S19: () => import('./attack/canaries.ts'),
  S20: () => import('./attack/swapped.ts'),
  S21: () => import('./attack/money.ts'),
  S22: () => import('./attack/dependencies.ts'),
  S23: () => import('./attack/takeover.ts'),
  S24: () => import('./attack/step-up.ts'),
  S25: () => import('./attack/half-signed-in.ts'),
  S26: () => import('./attack/fixation.ts'),
  S27: () => import('./attack/costs.ts'),
  S28: () => import('./attack/pumping.ts'),
  'S28-sockets': () => import('./attack/silent-sockets.ts'),
  S30: () => import('./attack/desync.ts'),
  S31: () => import('./attack/production.ts'),
  S32: () => import('./attack/demo.ts'),
  S33: () => import('./attack/chains.ts'),
  S34: () => import('./attack/mail-links.ts'),
}
/** Held by tests that need more than the public door; `npm test` runs them. */
const elsewhere = {
  S29: 'libs/kit/src/addresses.test.ts, gateway/src/addresses.test.ts, services/identity/src/attacks/guessing.test.ts',
  S9: 'services/identity/src/attacks/enumeration.proof.test.ts (S9_N=500 for the long form)',
  S17: 'services/identity/src/oauth/oauth.test.ts',
}
/** With --fleet: what needs the services in this process. */
const notAsFleet: Record<string, string> = {
  S7: 'it reads the routes that each service has mounted, known in its own process alone',
}

const args = process.argv.slice(2)
const short = args.includes('--short') || process.env.CI === 'true'
const seed = Number(args[args.indexOf('--seed') + 1] || 0) || Date.now() % 100_000
const chosen = args.filter((arg) => arg in attacks)
// Those that try every call come each time, and try a part of what they would.
const everyCall = ['S1', 'S5']
const due = chosen.length ? chosen : [...everyCall, ...inTurn(Object.keys(attacks).filter((name) => !everyCall.includes(name)))]
const dataDir = scratchFolder('attack')
chmodSync(dataDir, 0o755)
console.log(`seed ${seed}`)

const lines: string[] = []
const collector = await startListener()
const model = await startModel(async () => (await platform.ask(sandboxAddress, { provider: 'openai' })).url)
const secrets: [string, string][] = [
  ['the service key', SERVICE_KEY],
  ["the provider's key", `sk-canary-${seed}-provider-key-9Z`],
  ['the master key', randomBytes(32).toString('base64')],
]

const platform = await startPlatform({
  env: {
    ...production,
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    OPENAI_BASE_URL: model.address,
    OPENAI_API_KEY: secrets[1]![1],
    MASTER_KEY: secrets[2]![1],
    AUTH_STAFF_EMAILS: Array.from({ length: STAFF }, (_, n) => staffAddress(n)).join(','),
    SANDBOX_MODEL_PACE_MS: '0',
    // Limits have an attack of their own; here they would only hide the answers.
    ...Object.fromEntries(
      ['ADDRESS', 'AUTH_STRICT', 'PUBLIC_SEND', 'AUTH', 'REFRESH', 'READ', 'WRITE', 'AI', 'WEBHOOK'].map((name) => [
        `RATE_${name}`,
        '100000/1s',
      ]),
    ),
    LIMIT_SIGN_UP_PER_MINUTE: '100000',
    LIMIT_SIGN_IN_PER_MINUTE: '100000',
    LIMIT_VERIFY_PER_MINUTE: '100000',
    LIMIT_ANONYMOUS_PER_HOUR: '100000',
    LIMIT_MESSAGE_COOLDOWN_SECONDS: '0',
    ...Object.fromEntries(
      [
        'MAIL',
        'SMS',
        'MAIL_FROM_NETWORK',
        'SMS_FROM_NETWORK',
        'MAIL_TO_DOMAIN',
        'SMS_TO_COUNTRY',
        'SMS_TO_BLOCK',
        'MAIL_PLATFORM',
        'SMS_PLATFORM',
      ].map((name) => [`LIMIT_${name}_PER_HOUR`, '100000']),
    ),
  },
  log: (line) => void lines.push(line),
  web: wants('S14') || wants('S26'),
})
let through = 0
try {
  const surroundings = { model, lines, spans: () => collector.heard.join('\n'), flushSpans: flushTraces, dataDir, secrets }
  const world = await openWorld({ platform, short, seed, ...surroundings })
  for (const [name, load] of Object.entries(attacks)) {
    if (!wants(name)) continue
    if (asFleet && notAsFleet[name]) {
      console.log(`${name.padEnd(7)} not as a fleet: ${notAsFleet[name]}`)
      continue
    }
    const [started, computed] = [performance.now(), process.cpuUsage()]
    const told = await (await load()).attack(world)
    const { user, system } = process.cpuUsage(computed)
    tell(name, told, `${((performance.now() - started) / 1000).toFixed(1)} s (${((user + system) / 1e6).toFixed(1)} s of this process)`)
    for (const [other, beside] of Object.entries(told.beside ?? {})) tell(other, beside, `with ${name}`)
  }
} finally {
  await platform.stop()
  model.close()
  collector.close()
  rmSync(dataDir, { recursive: true, force: true })
}
if (!chosen.length) for (const [name, test] of Object.entries(elsewhere)) console.log(`${name.padEnd(7)} is a test: ${test}`)
const notDue = Object.keys(attacks).filter((name) => !wants(name))
if (!chosen.length && notDue.length)
  console.log(`not in turn (OPERON_TURN): ${notDue.join(', ')}, and the other parts of ${everyCall.join(' and ')}`)
console.log(through ? `${through} got through` : 'nothing got through')
process.exit(through ? 1 : 0)

function wants(name: string): boolean {
  return due.includes(name)
}

function tell(name: string, { tried, findings, notes = [] }: Told, took: string) {
  through += findings.length
  console.log(`${name.padEnd(7)} ${String(tried).padStart(5)} tried  ${String(findings.length).padStart(3)} through  ${took}`)
  for (const line of [...findings.slice(0, 40), ...notes]) console.log(`        ${line}`)
}
