import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AllInOne, startAllInOne } from './all-in-one.ts'
import { backup, restore } from './backup.ts'

const PASSWORD = 'Tr1cky-horse-battery'
const folder = mkdtempSync(join(tmpdir(), 'operon-backup-'))
const [dataDir, file] = [join(folder, 'data'), join(folder, 'kept.tar.gz')]
const limits = {
  RATE_AUTH_STRICT: '10000/60s',
  RATE_AUTH: '10000/60s',
  LIMIT_SIGN_UP_PER_MINUTE: '10000',
  LIMIT_SIGN_IN_PER_MINUTE: '10000',
}
const start = () =>
  startAllInOne({
    env: { ...process.env, NODE_ENV: 'test', LOG_LEVEL: 'error', PORT: '0', DATA_DIR: dataDir, AUTH_AUTOCONFIRM: 'true', ...limits },
    services: ['identity', 'crm', 'analytics', 'billing', 'sandbox'],
    web: false,
  })
let platform: AllInOne | undefined
beforeAll(() => chmodSync(folder, 0o755))
afterAll(async () => {
  await platform?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const ask = async (method: string, path: string, token: string, body?: unknown) => {
  const headers = { apikey: 'anon', authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(platform!.address + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  return { status: answer.status, body: text ? JSON.parse(text) : null }
}
const address = (n: number) => `person-${n}@example.com`
/** With a role, whose event another service writes down. */
const signUp = async (n: number) => {
  const { status, body } = await ask('POST', '/auth/v1/signup', 'anon', { email: address(n), password: PASSWORD, data: { name: 'Ann' } })
  expect(status).toBe(200)
  expect((await ask('POST', '/rest/v1/user_roles', body.access_token, { role: 'seller' })).status).toBeLessThan(300)
}
const signIn = (n: number) => ask('POST', '/auth/v1/token?grant_type=password', 'anon', { email: address(n), password: PASSWORD })

test('a platform that is copied while people arrive, and destroyed, comes back with each of them once', { timeout: 240_000 }, async () => {
  platform = await start()
  mkdirSync(join(dataDir, 'storage'), { recursive: true })
  writeFileSync(join(dataDir, 'storage', 'note.txt'), 'a file')
  let arrived = 0
  let copied = false
  const arrive = async () => {
    for (; !copied; arrived++) await signUp(arrived)
  }
  const arriving = arrive()
  arriving.catch(() => {})
  await expect.poll(() => arrived).toBeGreaterThan(5)
  const before = arrived
  await backup({ dataDir, file })
  await expect.poll(() => arrived).toBeGreaterThan(before)
  copied = true
  await arriving
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await expect(backup({ dataDir, file })).rejects.toThrow('is there already')
  await expect(restore({ dataDir, file })).rejects.toThrow('is not empty')

  await platform.stop()
  rmSync(dataDir, { recursive: true })
  await restore({ dataDir, file })
  expect(readFileSync(join(dataDir, 'storage', 'note.txt'), 'utf8')).toBe('a file')
  platform = await start()
  // Everybody who was answered before the copy began is there, and then nobody after the first who is not.
  const there: boolean[] = []
  for (let n = 0; n < arrived; n++) there.push((await signIn(n)).status === 200)
  expect(there.indexOf(false) === -1 ? arrived : there.indexOf(false)).toBeGreaterThanOrEqual(before)
  expect([...there].sort((a, b) => Number(b) - Number(a))).toEqual(there)
  // The events of that moment are sent again, and heard once; who is missing signs up anew.
  await signUp(arrived)
  for (const n of [0, before - 1, arrived]) {
    const { access_token: token } = (await signIn(n)).body
    const lines = async () =>
      (await ask('GET', '/rest/v1/activity_logs?select=command', token)).body.filter(({ command }: any) => command === 'Joined as a seller')
    await expect.poll(async () => (await lines()).length, { timeout: 30_000 }).toBe(1)
  }
})
