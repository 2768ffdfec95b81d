import { exportUser } from '@operon/contracts/personal-data'
import type { ServiceDefinition } from '@operon/kit/service'
import { insert, update } from '@operon/kit/testing/rows'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { signedUp, startIdentity } from '../testing/platform.ts'

const PIECES = 6
/** People of whom it does not tell the fourth piece. */
const silentFor = new Set<string>()
const crm: ServiceDefinition = {
  name: 'crm',
  config: { parse: () => ({}), safeParse: () => ({ success: true, data: {} }) } as never,
  migrations: {},
  setup(rt) {
    rt.answer(exportUser('crm'), async (_ctx, { user_id, from }) => {
      const part = from?.part ?? 0
      if (part === 3 && silentFor.has(user_id)) throw new Error('the database went away')
      const rows = Array.from({ length: 10 }, (_, n) => ({ n: part * 10 + n }))
      return { name: 'notes', rows, next: part + 1 < PIECES ? { part: part + 1, after: null } : null }
    })
  },
}

const platform = await startIdentity({ AUTH_ERASING_SERVICES: 'crm' }, [crm])
const db: any = platform.services.identity!.rt.db
afterAll(() => platform.close())

type Shown = {
  id: string
  state: string
  part: string | null
  part_number: number
  parts: number
  rows: number
  waiting_for: string | null
  kept_until: string | null
}
const patient = { timeout: 30_000 }

async function person() {
  const { session, user, client } = await signedUp(platform)
  const call = async (name: string, body: object = {}) => {
    const response = await fetch(`${platform.base}/functions/v1/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${session.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as any }
  }
  const newest = async (): Promise<Shown> => (await call('account-exports')).body.exports[0]
  const fetched = async (id: string) => {
    const { body } = await call('account-export-open', { export_id: id })
    const { pathname, search } = new URL(body.url)
    const file = await fetch(platform.base + pathname + search)
    return { status: file.status, name: file.headers.get('content-disposition'), text: await file.text() }
  }
  return { user, client, call, newest, fetched }
}
const told = (userId: string) =>
  db.selectFrom('outbox').select(['name', 'payload']).where('user_id', '=', userId).where('name', 'like', 'identity.export_%').execute()
const numbers = (text: string) => JSON.parse(text).services.crm.notes.map(({ n }: { n: number }) => n)
const all = Array.from({ length: PIECES * 10 }, (_, n) => n)
const filesOf = async (id: string) => (await platform.services.identity!.rt.storage.list(`exports/${id}/`)).length
/** The job that waits for a part comes again now. */
const askAgain = (id: string) =>
  insert(db, 'outbox', { id: crypto.randomUUID(), kind: 'job', name: 'identity.make_export', payload: JSON.stringify({ export_id: id }) })

test('an export is made by a job, one at a time, told of when it is ready, kept seven days and fetched by its owner alone', async () => {
  const { user, call, newest, fetched } = await person()
  const begun = await call('account-export-begin')
  expect([begun.status, begun.body.export.parts]).toEqual([200, 2])
  await expect.poll(async () => (await newest()).state, patient).toBe('ready')
  const made = await newest()
  const days = (Date.parse(made.kept_until!) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(6.9)
  expect(days).toBeLessThan(7.1)
  const file = await fetched(made.id)
  expect([file.status, file.name]).toEqual([200, expect.stringContaining('operon-account-')])
  const document = JSON.parse(file.text)
  expect([document.user.email, document.sessions.length]).toEqual([user.email, 1])
  expect(document.audit.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['user_signedup', 'account_exported']),
  )
  expect(numbers(file.text)).toEqual(all)
  expect(file.text).not.toContain('argon2')
  expect(made.rows).toBe(PIECES * 10 + document.sessions.length + document.audit.length)
  expect(await told(user.id)).toMatchObject([
    { name: 'identity.export_ready', payload: { export_id: made.id, kept_until: made.kept_until } },
  ])
  expect(await filesOf(made.id)).toBe(1)

  const stranger = await person()
  expect((await stranger.call('account-export-open', { export_id: made.id })).status).toBe(404)
  expect((await stranger.call('account-exports')).body.exports).toEqual([])

  await update(db, 'exports', { id: made.id }, { kept_until: sql`now() - interval '1 second'` })
  expect((await call('account-export-open', { export_id: made.id })).status).toBe(404)
  await insert(db, 'outbox', { id: crypto.randomUUID(), kind: 'job', name: 'identity.sweep', payload: '{}' })
  await expect.poll(() => filesOf(made.id), patient).toBe(0)
  await expect.poll(async () => (await call('account-exports')).body.exports, patient).toEqual([])
})

test('an export waits for a service that does not answer, says for which, and goes on where it was: each row once', async () => {
  const { user, call, newest, fetched } = await person()
  silentFor.add(user.id)
  const { id } = (await call('account-export-begin')).body.export
  await expect.poll(async () => (await newest()).waiting_for, patient).toBe('crm')
  expect(await newest()).toMatchObject({ state: 'working', part: 'crm', part_number: 2, kept_until: null })
  expect((await newest()).rows).toBeGreaterThanOrEqual(30)
  expect((await call('account-export-begin')).body.export.id).toBe(id)
  expect(await told(user.id)).toEqual([])
  silentFor.delete(user.id)
  await askAgain(id)
  await expect.poll(async () => (await newest()).state, patient).toBe('ready')
  expect(numbers((await fetched(id)).text)).toEqual(all)
  expect((await newest()).waiting_for).toBeNull()
})

test('an export whose part stays silent for a day fails, says so and leaves no file; a new one can be begun', async () => {
  const { user, call, newest } = await person()
  silentFor.add(user.id)
  const { id } = (await call('account-export-begin')).body.export
  await expect.poll(async () => (await newest()).waiting_for, patient).toBe('crm')
  await update(db, 'exports', { id }, { waiting_since: sql`now() - interval '25 hours'` })
  await askAgain(id)
  await expect.poll(async () => (await newest()).state, patient).toBe('failed')
  expect((await newest()).waiting_for).toBe('crm')
  expect(await told(user.id)).toMatchObject([{ name: 'identity.export_failed', payload: { export_id: id, hours: 24 } }])
  await expect.poll(() => filesOf(id), patient).toBe(0)
  expect((await call('account-export-open', { export_id: id })).status).toBe(404)
  silentFor.delete(user.id)
  expect((await call('account-export-begin')).body.export.id).not.toBe(id)
  await expect.poll(async () => (await newest()).state, patient).toBe('ready')
})

test('a run that another has taken over writes nothing more', async () => {
  const { user, call, newest, fetched } = await person()
  silentFor.add(user.id)
  const { id } = (await call('account-export-begin')).body.export
  await expect.poll(async () => (await newest()).waiting_for, patient).toBe('crm')
  silentFor.delete(user.id)
  await Promise.all([askAgain(id), askAgain(id), askAgain(id)])
  await expect.poll(async () => (await newest()).state, patient).toBe('ready')
  expect(numbers((await fetched(id)).text)).toEqual(all)
  await expect.poll(() => told(user.id), patient).toHaveLength(1)
})

test('the exports of a deleted account go with it', async () => {
  const { user, call, newest } = await person()
  await call('account-export-begin')
  await expect.poll(async () => (await newest()).state, patient).toBe('ready')
  const { id } = await newest()
  await call('account-delete')
  await insert(db, 'outbox', { id: crypto.randomUUID(), kind: 'job', name: 'identity.sweep', payload: '{}' })
  await expect.poll(() => filesOf(id), patient).toBe(0)
  await expect.poll(() => db.selectFrom('exports').select('id').where('user_id', '=', user.id).execute(), patient).toEqual([])
})
