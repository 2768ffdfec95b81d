import { defineConfig } from '@playwright/test'

// Long proofs of what changes seldom: every screen in six forms. `npm test -- --all` runs them as well.
const proof = process.env.E2E_ALL === '1' ? [] : [/@proof/]

// Against a server that runs already: E2E_URL names it.
export default defineConfig({
  testDir: 'e2e',
  // Each test has an account, and what it does to a provider's time or health strikes that account alone.
  fullyParallel: true,
  projects: [
    { name: 'staff', testMatch: 'staff.setup.ts' },
    { name: 'app', testMatch: '*.e2e.ts', grepInvert: [/@alone/, ...proof], dependencies: ['staff'] },
    // What everybody shares all the same.
    { name: 'alone', testMatch: '*.e2e.ts', grep: /@alone/, grepInvert: proof, dependencies: ['app'], workers: 1 },
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
