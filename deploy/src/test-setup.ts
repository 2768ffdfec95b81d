import { afterAll, vi } from 'vitest'

// A fact may take its time on a busy machine; what never comes fails all the same. Vitest has a setting for `expect.poll`, none for `waitFor`.
const waitFor = vi.waitFor
vi.waitFor = (look, options) => waitFor(look, typeof options === 'number' ? options : { timeout: 10_000, ...options })

// The next file runs in this process as well: it finds the clock, the environment and every function as they are.
afterAll(() => {
  vi.waitFor = waitFor
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
