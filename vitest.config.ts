import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Where the launchers keep it too: tests start many processes, and each would compile everything again.
const NODE_COMPILE_CACHE = join(import.meta.dirname, 'node_modules/.cache/node')

// Slow proofs (crashes, guessing by time, whole fleets) run with `npm test -- --all`, or by name.
const all = process.env.OPERON_TEST_ALL === '1' || process.argv.some((arg) => arg.includes('.proof.'))

export default defineConfig({
  test: {
    include: [
      'libs/**/*.test.ts',
      'services/**/*.test.ts',
      'gateway/**/*.test.ts',
      'deploy/**/*.test.ts',
      'proof/**/*.test.ts',
      'web/src/**/*.test.{ts,tsx}',
    ],
    exclude: ['**/node_modules/**', '**/dist/**', ...(all ? [] : ['**/*.proof.test.ts'])],
    setupFiles: ['deploy/src/test-setup.ts'],
    globalSetup: ['deploy/src/test-postgres.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    // A fact may take its time on a busy machine; what never comes fails all the same.
    expect: { poll: { timeout: 10_000 } },
    env: { NODE_ENV: 'test', LOG_LEVEL: 'silent', NODE_COMPILE_CACHE },
  },
})
