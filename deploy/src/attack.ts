import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAllInOne } from './all-in-one.ts'
import { type Attack, openWorld, STAFF, staffAddress } from './attack/world.ts'

// `npm run attack [-- --short] [--seed 7] [S1 S5 …]`: attacks on a platform of its own, over its public door. Ends non-zero when one got through.
const attacks: Record<string, () => Promise<{ attack: Attack }>> = {
  S1: () => import('./attack/access.ts'),
  S2: () => import('./attack/tenants.ts'),
  S3: () => import('./attack/assignment.ts'),
  S5: () => import('./attack/fuzz.ts'),
  S6: () => import('./attack/identity-tokens.ts'),
  S7: () => import('./attack/undeclared.ts'),
  S8: () => import('./attack/identity-guessing.ts'),
  'S10-12': () => import('./attack/browser.ts'),
  S18: () => import('./attack/webhooks.ts'),
  S21: () => import('./attack/money.ts'),
}

const args = process.argv.slice(2)
const short = args.includes('--short') || process.env.CI === 'true'
const seed = Number(args[args.indexOf('--seed') + 1] || 0) || Date.now() % 100_000
const chosen = args.filter((arg) => arg in attacks)
const dataDir = mkdtempSync(join(tmpdir(), 'operon-attack-'))
chmodSync(dataDir, 0o755)
console.log(`seed ${seed}`)

const platform = await startAllInOne({
  env: {
    ...process.env,
    NODE_ENV: 'test',
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'fatal',
    AUTH_AUTOCONFIRM: 'true',
    AUTH_STAFF_EMAILS: Array.from({ length: STAFF }, (_, n) => staffAddress(n)).join(','),
    SERVICE_KEY: 'attack-service-key-0123456789',
    SANDBOX_MODEL_PACE_MS: '0',
    // What limits do is an attack of its own; here they would only hide the answers.
    ...Object.fromEntries(
      ['ADDRESS', 'AUTH_STRICT', 'AUTH', 'REFRESH', 'READ', 'WRITE', 'AI', 'WEBHOOK'].map((name) => [`RATE_${name}`, '100000/1s']),
    ),
    LIMIT_SIGN_UP_PER_MINUTE: '100000',
    LIMIT_SIGN_IN_PER_MINUTE: '100000',
    LIMIT_VERIFY_PER_MINUTE: '100000',
    LIMIT_ANONYMOUS_PER_HOUR: '100000',
    LIMIT_MAIL_PER_HOUR: '100000',
  },
  web: false,
})
let through = 0
try {
  const world = await openWorld({ platform, short, seed })
  for (const [name, load] of Object.entries(attacks)) {
    if (chosen.length && !chosen.includes(name)) continue
    const started = performance.now()
    const { tried, findings } = await (await load()).attack(world)
    through += findings.length
    console.log(
      `${name.padEnd(7)} ${String(tried).padStart(5)} tried  ${String(findings.length).padStart(3)} through  ${((performance.now() - started) / 1000).toFixed(1)} s`,
    )
    for (const finding of findings.slice(0, 40)) console.log(`        ${finding}`)
  }
} finally {
  await platform.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
console.log(through ? `${through} got through` : 'nothing got through')
process.exit(through ? 1 : 0)
