import { vi } from 'vitest'

// A fact may take its time on a busy machine; what never comes fails all the same. Vitest has a setting for `expect.poll`, none for `waitFor`.
const waitFor = vi.waitFor
vi.waitFor = (look, options) => waitFor(look, typeof options === 'number' ? options : { timeout: 10_000, ...options })
