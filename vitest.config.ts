import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './deploy/src/test-order.ts'
import { inTurn, slowProofs } from './deploy/src/turn.ts'

// Where the launchers keep it too: tests start many processes, and each would compile everything again.
const NODE_COMPILE_CACHE = join(import.meta.dirname, 'node_modules/.cache/node')

// Slow proofs (crashes, guessing by time, whole fleets, several services with their providers) run with `npm test -- --all`, or by name; CI runs them in turns.
const named = process.argv.some((arg) => arg.includes('.proof.'))
const proofs = slowProofs()
const due = new Set(named ? proofs : process.env.OPERON_TEST_ALL === '1' ? inTurn(proofs) : [])

const files = ['{libs,services,gateway,deploy,proof}/**/*.test.ts']
const web = ['web/src/**/*.test.{ts,tsx}']
const excluded = ['**/node_modules/**', '**/dist/**', ...proofs.filter((file) => !due.has(file))]

// These change what a whole process shares: its clock, its traces, the list of its capabilities. Each has a process of its own.
const alone = [
  'libs/kit/src/clock.test.ts',
  'libs/kit/src/outbox.test.ts',
  'libs/kit/src/tracing.test.ts',
  'services/ai-gateway/src/approvals/approvals.test.ts',
]

// Node loads the services itself, with its compile cache, as it does when they run; only the web app's modules need Vite.
const asInProduction = { experimental: { viteModuleRunner: false } }

export default defineConfig({
  test: {
    // To load the services anew for every file costs as much as all the tests do.
    projects: [
      { extends: true, test: { ...asInProduction, name: 'together', isolate: false, include: files, exclude: [...excluded, ...alone] } },
      { extends: true, test: { ...asInProduction, name: 'alone', include: alone, exclude: excluded } },
      { extends: true, test: { name: 'web', isolate: false, include: web, exclude: excluded } },
    ],
    setupFiles: ['deploy/src/test-setup.ts'],
    globalSetup: ['deploy/src/test-postgres.ts'],
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // One more than a small machine has cores: a test waits for a third of its time, and each worker loads all the services.
    maxWorkers: 3,
    // CI runs benchmarks and faults beside the tests, where starting a program alone may take as long.
    testTimeout: process.env.CI ? 60_000 : 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    // A fact may take its time on a busy machine; what never comes fails all the same.
    expect: { poll: { timeout: 10_000 } },
    env: { NODE_ENV: 'test', LOG_LEVEL: 'silent', NODE_COMPILE_CACHE },
  },
})
