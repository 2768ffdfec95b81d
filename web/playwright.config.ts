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
    // Tests of what all accounts share.
    { name: 'alone', testMatch: '*.e2e.ts', grep: /@alone/, grepInvert: proof, dependencies: ['staff'], workers: 1 },
  ],
  outputDir: '.cache/test-results',
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  use: {
    baseURL: process.env.E2E_URL ?? 'http://localhost:8080',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // Two web pages behind the address bar, which every window of Chromium loads: nearly half of what a short test costs.
        '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
      ],
    },
    contextOptions: { reducedMotion: 'reduce' },
    permissions: ['clipboard-read', 'clipboard-write'],
    // To note everything down costs a third of the run: CI does so for the tests it runs again.
    trace: process.env.CI && !process.env.E2E_AGAIN ? 'off' : 'retain-on-failure',
  },
})
