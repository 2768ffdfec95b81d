import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openDatabase } from '@operon/kit/db'
import { testDatabase } from '@operon/kit/testing/database'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { identityService } from '../service.ts'
import { newEmail, PASSWORD } from '../testing/platform.ts'

const ROWS = 12_000
const dataDir = await mkdtemp(join(tmpdir(), 'operon-export-'))
const url = (await testDatabase(identityService)).url
const db: any = openDatabase(url, 2, () => {}).db
afterAll(async () => {
  await db.destroy()
  await rm(dataDir, { recursive: true, force: true })
})

/** Identity as a process of its own. */
async function started() {
  const child = spawn(process.execPath, [new URL('../main.ts', import.meta.url).pathname], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      NODE_ENV: 'test',
      LISTEN: '127.0.0.1:0',
      DATA_DIR: dataDir,
      DATABASE_URL_IDENTITY: url,
      LOG_LEVEL: 'info',
      AUTH_AUTOCONFIRM: 'true',
      AUTH_ERASING_SERVICES: 'none',
    },
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const { address } = (line.startsWith('{') ? JSON.parse(line) : {}) as { address?: string }
    if (!address) continue
    child.stdout.resume()
    return {
      base: address,
      async kill() {
        child.kill('SIGKILL')
        await once(child, 'exit')
      },
    }
  }
  throw new Error('identity ended before it was ready')
}

test('an export that is killed with its process is finished by the next one, with each row once', { timeout: 180_000 }, async () => {
  const first = await started()
  const call = async (base: string, path: string, body: object, token = 'anon') => {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, apikey: 'anon', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as any
  }
  const { access_token: token, user } = await call(first.base, '/auth/v1/signup', { email: newEmail(), password: PASSWORD })
  await sql`
    insert into audit_log (id, user_id, action, actor, ip, user_agent, detail)
    select uuidv7(), ${user.id}, 'login', 'user', '', '', jsonb_build_object('n', n, 'much', repeat('x', 4000))
    from generate_series(1, ${ROWS}) n`.execute(db)
  const { export: begun } = await call(first.base, '/functions/v1/account-export-begin', {}, token)
  const rowOf = () => db.selectFrom('exports').selectAll().where('id', '=', begun.id).executeTakeFirst()
  await expect.poll(async () => (await rowOf()).files.length, { timeout: 60_000, interval: 5 }).toBeGreaterThanOrEqual(2)
  await first.kill()
  const left = await rowOf()
  expect(left.state).toBe('working')
  expect(left.rows).toBeLessThan(ROWS)

  const second = await started()
  try {
    await expect.poll(async () => (await rowOf()).state, { timeout: 120_000 }).toBe('ready')
    const { url: link } = await call(second.base, '/functions/v1/account-export-open', { export_id: begun.id }, token)
    const { pathname, search } = new URL(link)
    const { audit } = (await (await fetch(second.base + pathname + search)).json()) as any
    const logged = audit.flatMap(({ detail }: { detail: { n?: number } }) => (detail.n ? [detail.n] : []))
    expect(logged.toSorted((a: number, b: number) => a - b)).toEqual(Array.from({ length: ROWS }, (_, at) => at + 1))
  } finally {
    await second.kill()
  }
})
