import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

// Slow proofs of what changes seldom: every screen in four forms, and the files that end in .proof.e2e.ts. `npm test -- --all` runs them as well.
const all = process.env.E2E_ALL === '1'
const proof = /@proof|\.proof\.e2e\.ts/
const notAsked = all ? [] : [proof]

process.env.CHROMIUM ??= ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path))

// Against a server that runs already: E2E_URL names it.
export default defineConfig({
  testDir: 'e2e',
  // Each test has an account, and what it does to a provider's time or health strikes that account alone.
  fullyParallel: true,
  projects: [
    { name: 'staff', testMatch: 'staff.setup.ts' },
    { name: 'app', testMatch: '*.e2e.ts', grepInvert: [/@alone/, proof], dependencies: ['staff'] },
    { name: 'proofs', testMatch: '*.e2e.ts', grep: proof, grepInvert: [/@alone/, ...notAsked], dependencies: ['staff'] },
    // Tests of what all accounts share.
    { name: 'alone', testMatch: '*.e2e.ts', grep: /@alone/, grepInvert: notAsked, dependencies: ['staff'], workers: 1 },
  ],
  outputDir: '.cache/test-results',
  // One more than a small machine has cores: a test waits for pages to draw and for what it polls.
  workers: 3,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  use: {
    baseURL: process.env.E2E_URL ?? 'http://localhost:8080',
    launchOptions: {
      executablePath: process.env.CHROMIUM!,
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
    // Recording costs a third of the run, so only a second look has it, and a run that asks: E2E_TRACE=1 npm test.
    trace: process.env.E2E_AGAIN || process.env.E2E_TRACE ? 'retain-on-failure' : 'off',
  },
})
