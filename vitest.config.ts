import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['libs/**/*.test.ts', 'services/**/*.test.ts', 'gateway/**/*.test.ts', 'deploy/**/*.test.ts', 'web/src/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    setupFiles: ['deploy/src/test-setup.ts'],
    globalSetup: ['deploy/src/test-postgres.ts'],
    pool: 'forks',
    maxWorkers: 2,
    retry: process.env.CI ? 1 : 0,
    testTimeout: 15_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    // A fact may take its time on a busy machine; what never comes fails all the same.
    expect: { poll: { timeout: 10_000 } },
    env: { NODE_ENV: 'test', LOG_LEVEL: 'silent' },
  },
})
