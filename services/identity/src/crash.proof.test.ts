import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropTestDatabase, emptyTestDatabase } from '@operon/kit/testing/database'
import { startSandbox } from '@operon/sandbox/sandbox'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { newEmail, PASSWORD, unpaced } from './testing/platform.ts'

test('kill -9 in the middle of sign-ups: every answered one exists, and no mail is lost or sent under two names', {
  timeout: 60_000,
}, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'identity-crash-'))
  const url = await emptyTestDatabase()
  const sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:8080' })
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: String(port),
    DATA_DIR: dataDir,
    DATABASE_URL_IDENTITY: url,
    AUTH_AUTOCONFIRM: 'false',
    SMTP_URL: sandbox.addresses.smtp,
    LOG_LEVEL: 'error',
    LIMIT_SIGN_UP_PER_MINUTE: '10000',
    ...unpaced,
  }
  const children: ChildProcess[] = []
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], { env, stdio: 'inherit' })
    children.push(child)
    await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200), 20_000)
    return child
  }
  const answered: { id: string; email: string }[] = []
  const signUp = async () => {
    const email = newEmail('crash')
    const response = await fetch(`http://127.0.0.1:${port}/auth/v1/signup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: PASSWORD }),
    })
    if (response.status !== 200) return
    answered.push({ id: ((await response.json()) as { id: string }).id, email })
  }
  const client = new pg.Client(url)
  try {
    for (let round = 0; round < 2; round++) {
      const child = await start()
      const before = answered.length
      const people = Array.from({ length: 6 }, async () => {
        while (child.exitCode === null && child.signalCode === null && !child.killed) await signUp().catch(() => {})
      })
      await vi.waitFor(() => expect(answered.length).toBeGreaterThan(before + 6), 20_000)
      child.kill('SIGKILL')
      await once(child, 'exit')
      await Promise.all(people)
    }
    const last = await start()
    await client.connect()
    const { rows } = await client.query('select id, email from users')
    const stored = new Map(rows.map((row: { id: string; email: string }) => [row.email, row.id]))
    expect(answered.filter(({ email, id }) => stored.get(email) !== id)).toEqual([])
    const mails = async (to: string) => {
      const { body } = await sandbox.handle({
        method: 'GET',
        path: '/sandbox/api/inbox',
        query: new URLSearchParams({ to }),
        headers: {},
        body: Buffer.alloc(0),
        params: {},
      })
      return (JSON.parse(String(body)) as { messages: { message_id: string }[] }).messages
    }
    for (const { email } of answered) {
      const names = await vi.waitFor(async () => {
        const found = await mails(email)
        expect(found.length, email).toBeGreaterThan(0)
        return found.map(({ message_id }) => message_id)
      }, 20_000)
      expect(new Set(names).size).toBe(1)
    }
    last.kill('SIGTERM')
    await once(last, 'exit')
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await client.end()
    await sandbox.close()
    await dropTestDatabase(url)
    rmSync(dataDir, { recursive: true, force: true })
  }
})

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
