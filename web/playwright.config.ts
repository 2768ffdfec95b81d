import { defineConfig } from '@playwright/test'

const alone = ['ai-faults.e2e.ts', 'ai-reading.e2e.ts', 'billing-*.e2e.ts']

// Against a server that runs already: E2E_URL names it.
export default defineConfig({
  testDir: 'e2e',
  // Some order faults of a provider or move its clock, which all share: they run last, one at a time.
  projects: [
    { name: 'app', testMatch: '*.e2e.ts', testIgnore: alone },
    { name: 'alone', testMatch: alone, dependencies: ['app'], workers: 1 },
  ],
  outputDir: '.cache/test-results',
  workers: 2,
  // CI shares its machine with other work: once more before it is called a failure, and the tally names what needed it.
  retries: process.env.CI ? 1 : 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  use: {
    baseURL: process.env.E2E_URL ?? 'http://localhost:8080',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    },
    contextOptions: { reducedMotion: 'reduce' },
    permissions: ['clipboard-read', 'clipboard-write'],
    // To note everything down costs a third of the run: where a test is tried again, the second try alone is.
    trace: process.env.CI ? 'on-first-retry' : 'retain-on-failure',
  },
})
