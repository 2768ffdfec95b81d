import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { newId } from './ids.ts'
import { createLogger } from './telemetry.ts'
import { type TestDatabase, testDatabase } from './testing/database.ts'

const database: TestDatabase = await testDatabase({ name: 'kit-telemetry', migrations: {} })
afterAll(() => database.drop())

test('a failed statement is logged with its code and constraint, without the row that it was about', async () => {
  const { db } = database
  await sql`drop table if exists people`.execute(db)
  await sql`create table people (id uuid primary key, email text unique, age int check (age > 0))`.execute(db)
  const insert = (email: string, age: number) => sql`insert into people values (${newId()}, ${email}, ${age})`.execute(db)
  await insert('ann@example.com', 1)
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => void lines.push(line) })
  for (const [email, age] of [
    ['ann@example.com', 1],
    ['bob@example.com', -1],
  ] as const) {
    const err = await insert(email, age).catch((error: Error) => error)
    log.error({ err, password: 'Tr1cky' }, 'unexpected error')
  }
  expect(lines.map((line) => JSON.parse(line).err)).toMatchObject([
    { code: '23505', constraint: 'people_email_key' },
    { code: '23514', constraint: 'people_age_check' },
  ])
  expect(lines.join('\n')).not.toMatch(/ann@example|bob@example|Tr1cky/)
})

test('a reason that is no error is logged as it is', () => {
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => void lines.push(line) })
  for (const err of ['Error: Command timed out', null]) log.warn({ err }, 'will try again')
  expect(lines.map((line) => JSON.parse(line).err)).toEqual(['Error: Command timed out', null])
})

test('a message that is logged tells its name and id, and nothing that it says', () => {
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => void lines.push(line) })
  const envelope = { id: newId(), name: 'identity.user_created', user_id: newId(), payload: { email: 'ann@example.com', name: 'Ann' } }
  log.warn({ envelope }, 'parked')
  log.warn({ payload: envelope.payload, name: envelope.name }, 'parked')
  log.warn({ job: { id: newId(), payload: envelope.payload } }, 'parked')
  log.warn({ email: 'ann@example.com', to: { phone: '+4712345678' } }, 'not sent')
  expect(lines.join('\n')).not.toMatch(/ann@|Ann|4712345678/)
  expect(JSON.parse(lines[1]!)).toMatchObject({ name: envelope.name, payload: '[hidden]' })
})
