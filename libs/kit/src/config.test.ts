import { expect, test } from 'vitest'
import { facesPeople, readKitConfig, sandboxIsOpen } from './config.ts'

test('real people may come in production and at every address but this machine', () => {
  const at = (PUBLIC_URL?: string) => facesPeople({ PUBLIC_URL })
  for (const own of [
    undefined,
    'http://localhost:8080',
    'https://app.localhost',
    'http://127.0.0.1',
    'http://127.9.9.9:1',
    'http://[::1]:8080',
  ])
    expect(at(own), own).toBe(false)
  for (const open of [
    'https://operon.example',
    'http://192.168.1.5:8080',
    'http://localhost.example',
    'http://127.0.0.1.nip.io',
    'nonsense',
  ])
    expect(at(open), open).toBe(true)
  expect(facesPeople({ NODE_ENV: 'production', PUBLIC_URL: 'http://localhost:8080' })).toBe(true)
})

test('beside real people the sandbox is closed until an operator sets its key, and an empty or short one is none', () => {
  const open = (env: Record<string, string>) => sandboxIsOpen(readKitConfig(env))
  expect(open({})).toBe(true)
  expect(open({ NODE_ENV: 'production' })).toBe(false)
  expect(open({ PUBLIC_URL: 'https://operon.example', SANDBOX_KEY: '' })).toBe(false)
  expect(open({ PUBLIC_URL: 'https://operon.example', SANDBOX_KEY: 'for-the-demonstration-only' })).toBe(true)
  expect(() => readKitConfig({ SANDBOX_KEY: '1' })).toThrow('SANDBOX_KEY')
})

test('a service key that every visitor sends is refused', () => {
  const key = 'a-key-that-administers-all'
  expect(() => readKitConfig({ SERVICE_KEY: key, PUBLISHABLE_KEYS: `anon,${key}` })).toThrow(/^SERVICE_KEY: /)
})

test('unsigned messages of the bus can be allowed for a week at most', () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  expect(readKitConfig({ BUS_UNSIGNED_UNTIL: inDays(3) }).BUS_UNSIGNED_UNTIL).toBeGreaterThan(Date.now())
  expect(() => readKitConfig({ BUS_UNSIGNED_UNTIL: inDays(8) })).toThrow('BUS_UNSIGNED_UNTIL: may be at most a week ahead')
})
