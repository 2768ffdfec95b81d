import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { serviceNames } from '@operon/contracts/services'
import { startFleet } from '@operon/deploy/fleet'
import { exitWith, stopOnSignals } from '@operon/deploy/launcher'
import { findProgram, scratchFolder } from '@operon/deploy/machine'
import { abandonPostgres } from '@operon/deploy/postgres'
import { killSupervised } from '@operon/deploy/supervised'
import { inTurn } from '@operon/deploy/turn'
import { servicesIn, unpackOlder } from './chaos/versions.ts'
import type { Fault, Outcome } from './chaos/world.ts'
import { busyness, openWorld } from './chaos/world.ts'

// `npm run chaos [-- --short] [--seed 7] [R7 R9 …]`: faults under load on a fleet of its own, one after another. Ends non-zero when something
// was lost, done twice, or did not come back, in this run and in a second one with the same seed.
const faults: Record<string, () => Promise<Fault>> = {
  // First: it begins with the older version, and leaves this one for all the others.
  R24: () => import('./chaos/versions.ts').then(({ upgraded }) => upgraded),
  R8: () => import('./chaos/nats.ts').then(({ rolledBack }) => rolledBack),
  R7: () => import('./chaos/nats.ts').then(({ killed }) => killed),
  R23: () => import('./chaos/poison.ts').then(({ poisoned }) => poisoned),
  R9: () => import('./chaos/redis.ts').then(({ forgetful }) => forgetful),
  R11: () => import('./chaos/postgres.ts').then(({ killed }) => killed),
  R12: () => import('./chaos/frozen.ts').then(({ frozen }) => frozen),
  R13: () => import('./chaos/providers.ts').then(({ unwell }) => unwell),
  R18: () => import('./chaos/rolling.ts').then(({ restarted }) => restarted),
  R26: () => import('./chaos/hosts.ts').then(({ joined }) => joined),
  R27: () => import('./chaos/hosts.ts').then(({ upgradedMeanwhile }) => upgradedMeanwhile),
  'R1-4': () => import('./chaos/checkout.ts').then(({ killed }) => killed),
  R2: () => import('./chaos/orders.ts').then(({ delivered }) => delivered),
  'top-ups': () => import('./chaos/top-ups.ts').then(({ bought }) => bought),
  R3: () => import('./chaos/commits.ts').then(({ stopped }) => stopped),
  R5: () => import('./chaos/webhooks.ts').then(({ reversed }) => reversed),
  R6: () => import('./chaos/webhooks.ts').then(({ unheard }) => unheard),
  R14: () => import('./chaos/streams.ts').then(({ killed }) => killed),
  payouts: () => import('./chaos/payouts.ts').then(({ paidOut }) => paidOut),
  pictures: () => import('./chaos/pictures.ts').then(({ drawn }) => drawn),
  R20: () => import('./chaos/sessions.ts').then(({ raced }) => raced),
  R21: () => import('./chaos/streams.ts').then(({ lastPrompt }) => lastPrompt),
  identity: () => import('./chaos/sessions.ts').then(({ killed }) => killed),
  R17: () => import('./chaos/clock.ts').then(({ skewed }) => skewed),
  R15: () => import('./chaos/disk.ts').then(({ full }) => full),
}

const args = process.argv.slice(2)
const short = args.includes('--short') || process.env.CI === '1'
const again = args.includes('--again')
const verbose = args.includes('--verbose')
const seed = Number(args[args.indexOf('--seed') + 1] || 0) || Date.now() % 100_000
// R24 and R27 may have packages to install, R17 starts everything three times and R15 moves the stores to other disks: in the long form, or by name.
const notShort = ['R24', 'R27', 'R17', 'R15']
const orders = Number(args[args.indexOf('--orders') + 1] || 0) || (short ? 48 : 20_000)
const sellers = Number(args[args.indexOf('--sellers') + 1] || 0) || (short ? 100 : 300)
const chosen = args.filter((arg) => arg in faults)
const inThisForm = Object.keys(faults).filter((name) => !short || !notShort.includes(name))
const due = chosen.length ? chosen : inTurn(inThisForm)
const old = args.includes('--old') ? args[args.indexOf('--old') + 1] : undefined
const busy = busyness(availableParallelism())
/** Whatever else ran here has ended by then, or goes on for good. */
const CALM_WITHIN_MS = 8 * 60_000
const serviceKey = 'chaos-service-key-0123456789'
const began = Date.now()
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

const absent = ['nats-server', 'redis-server'].filter((program) => !findProgram(program))
if (absent.length) {
  console.log(`chaos: skipped, not on PATH: ${absent.join(', ')}`)
  process.exit(0)
}

const dataDir = scratchFolder('chaos')
chmodSync(dataDir, 0o755)
console.log(`seed ${seed}${busy > 1 ? `, on a machine that is ${busy.toFixed(1)} times as busy as it has cores` : ''}`)

const older = ['R24', 'R27'].some((name) => due.includes(name)) ? unpackOlder(old, dataDir) : { why: 'not asked for' }
const beginsOlder = 'root' in older && due.includes('R24')
if ('root' in older)
  console.log(`${beginsOlder ? 'R24 begins with' : 'the version before is'} ${older.commit.slice(0, 7)} (${older.subject})`)
const afterwards: (() => unknown)[] = []
const undoAll = () => {
  for (const undo of afterwards.splice(0)) undo()
}
const off = '1000000/1s'
const said: string[] = []
const starting = startFleet({
  env: {
    ...process.env,
    NODE_ENV: 'test',
    PORT: process.env.PORT ?? '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: verbose ? 'warn' : 'error',
    AUTH_AUTOCONFIRM: 'true',
    AUTH_STAFF_EMAILS: 'staff@example.com',
    SERVICE_KEY: serviceKey,
    SANDBOX_MODEL_PACE_MS: '0',
    MEDIA_WIDTH: '3',
    MEDIA_LEASE_MS: '3000',
    // The older version of R24 may be one that signed no messages.
    ...('root' in older && { BUS_UNSIGNED_UNTIL: new Date(Date.now() + 6 * 86_400_000).toISOString() }),
    AI_FIRST_BYTE_MS: '3000',
    // Another runner tests limits; here they would only hide the answers.
    ...Object.fromEntries(
      ['ADDRESS', 'AUTH_STRICT', 'PUBLIC_SEND', 'AUTH', 'REFRESH', 'READ', 'WRITE', 'AI', 'WEBHOOK'].map((name) => [`RATE_${name}`, off]),
    ),
    LIMIT_MESSAGE_COOLDOWN_SECONDS: '0',
    ...Object.fromEntries(
      [
        'SIGN_UP_PER_MINUTE',
        'SIGN_IN_PER_MINUTE',
        'REFRESH_AT_ONCE',
        'MAIL_PER_HOUR',
        'MAIL_FROM_NETWORK_PER_HOUR',
        'MAIL_TO_DOMAIN_PER_HOUR',
        'MAIL_PLATFORM_PER_HOUR',
        'LOOKUPS_PER_MINUTE',
      ].map((name) => [`LIMIT_${name}`, '1000000']),
    ),
  },
  // Two of all that keeps nothing in its own memory.
  counts: {
    identity: 2,
    billing: 2,
    marketplace: 2,
    integrations: 1,
    'ai-gateway': 2,
    media: 2,
    analytics: 2,
    crm: 1,
    sandbox: 1,
    gateway: 1,
  },
  web: false,
  ...(beginsOlder && { root: older.root, services: serviceNames.filter((name) => servicesIn(older.root).includes(name)) }),
  log: (line) => (verbose ? console.log(`  ${line}`) : void said.push(line)),
})
const force = () => {
  killSupervised()
  abandonPostgres()
  undoAll()
}
stopOnSignals(() => starting.then((fleet) => fleet.stop()).finally(undoAll), force)
const fleet = await starting.catch((error) => {
  for (const line of said.slice(-30)) console.log(`  ${line}`)
  return exitWith(error)
})
console.log(`${fleet.processes.size + 1} processes are ready after ${seconds(Date.now() - began)}`)
const world = openWorld({ fleet, seed, short, orders, sellers, serviceKey, busy, older, afterwards })

const broken: string[] = []
const later: [string, () => Promise<Outcome>][] = []

async function run(name: string, running: () => Promise<Outcome | { later: () => Promise<Outcome> }>) {
  const at = Date.now()
  const outcome = await running().catch(
    (error): Outcome => ({ injected: 'the run itself failed', work: '', lost: 0, twice: 0, broken: [error.stack] }),
  )
  if ('later' in outcome) return void later.push([name, outcome.later])
  if (outcome.skipped) return console.log(`skipped ${name}: ${outcome.skipped}`)
  const back = outcome.recoveredMs === undefined ? '' : `, back in ${seconds(outcome.recoveredMs)}`
  console.log(
    `${outcome.broken.length ? 'BROKEN' : 'holds '} ${name.padEnd(6)} ${outcome.injected}: ${outcome.work}; lost ${outcome.lost}, twice ${outcome.twice}${back} (${seconds(Date.now() - at)})`,
  )
  for (const line of outcome.broken.slice(0, 20)) console.log(`         ${line}`)
  if (outcome.broken.length) broken.push(name)
}

try {
  for (const [name, load] of Object.entries(faults)) {
    if (!due.includes(name)) continue
    const fault = await load()
    await run(name, () => fault(world))
  }
  for (const [name, finish] of later) await run(name, finish)
} finally {
  await world.close()
  await fleet.stop()
  undoAll()
  if (!args.includes('--keep')) rmSync(dataDir, { recursive: true, force: true })
}
console.log(
  `seed ${seed}: ${broken.length ? `${broken.join(', ')} broken` : 'every invariant held'}, ${seconds(Date.now() - began)} in all`,
)
if (!chosen.length && due.length < inThisForm.length)
  console.log(`not in turn (OPERON_TURN): ${inThisForm.filter((name) => !due.includes(name)).join(', ')}`)
if (broken.length === 0 || again) process.exit(broken.length ? 1 : 0)
// Red twice fails; red once is named, since it held with the same numbers when nothing went before it and less ran beside it.
const calm = () => busyness(availableParallelism()) < 2
for (const until = Date.now() + CALM_WITHIN_MS; !calm() && Date.now() < until; ) await delay(5_000)
console.log(`once more with seed ${seed}, by themselves: ${broken.join(', ')}`)
const more = [
  import.meta.filename,
  '--again',
  '--seed',
  String(seed),
  '--sellers',
  String(sellers),
  '--orders',
  String(orders),
  ...(short ? ['--short'] : []),
  ...broken,
]
const [code] = await once(spawn(process.execPath, more, { stdio: 'inherit' }), 'exit')
console.log(code === 0 ? `red once, to be looked into: ${broken.join(', ')}` : `red in both runs: see above`)
process.exit(code === 0 ? 0 : 1)
