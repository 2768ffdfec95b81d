import { serviceNames } from '@operon/contracts/services'
import { afterEach, expect, test, vi } from 'vitest'
import { launcherEnv } from './launcher.ts'
import { chosenServices } from './services.ts'

afterEach(() => vi.unstubAllEnvs())

const started = (env: Record<string, string>) => {
  for (const [name, value] of Object.entries({
    NODE_ENV: '',
    PUBLIC_URL: '',
    SANDBOX_KEY: '',
    SERVICES: '',
    AUTH_AUTOCONFIRM: '',
    DEMO_ACCOUNTS: '',
    ...env,
  }))
    vi.stubEnv(name, value)
  const { AUTH_AUTOCONFIRM, DEMO_ACCOUNTS, ...given } = launcherEnv()
  return { AUTH_AUTOCONFIRM, DEMO_ACCOUNTS, services: chosenServices(given) }
}

test('on a machine of your own everything is there to try: the sandbox, demo accounts, no email to fetch', () => {
  expect(started({})).toEqual({ AUTH_AUTOCONFIRM: 'true', DEMO_ACCOUNTS: 'true', services: serviceNames })
})

test.each<Record<string, string>>([{ NODE_ENV: 'production' }, { PUBLIC_URL: 'https://operon.example' }])(
  'with %j nothing of it is',
  (env) => {
    expect(started(env)).toEqual({ services: serviceNames.filter((name) => name !== 'sandbox') })
    expect(started({ ...env, SANDBOX_KEY: 'for-the-demonstration-only' }).services).toEqual(serviceNames)
  },
)
