import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { readKitConfig } from './config.ts'
import { refuseOwnStores } from './joining.ts'
import { createInfra, prepareService, type ServiceDefinition } from './service.ts'
import { createLogger } from './telemetry.ts'
import { testDatabase } from './testing/database.ts'

const crm: ServiceDefinition = { name: 'crm', config: z.object({}), migrations: {}, setup() {} }
const newKey = () => randomBytes(32).toString('base64')

test('a process with another master key than its database is used with is refused, also one that has none and makes its own', async () => {
  const database = await testDatabase(crm)
  const dirs: string[] = []
  onTestFinished(async () => {
    await database.drop()
    for (const dir of dirs) await rm(dir, { recursive: true, force: true })
  })
  const joinWith = async (key?: string) => {
    const dir = await mkdtemp(join(tmpdir(), 'operon-joining-'))
    dirs.push(dir)
    const env = { NODE_ENV: 'test', DATA_DIR: dir, DATABASE_URL_CRM: database.url, ...(key && { MASTER_KEY: key }) }
    const service = await prepareService(crm, await createInfra(env, { log: createLogger('silent') }))
    await service.close()
  }
  const [old, next, foreign] = [newKey(), newKey(), newKey()]
  await joinWith(old)
  await joinWith(old)
  await expect(joinWith(foreign)).rejects.toThrow('MASTER_KEY: is not the key that the database of crm is used with')
  await expect(joinWith()).rejects.toThrow('MASTER_KEY: is missing. The database of crm is used with another key')
  await expect(joinWith(`${foreign},${next}`)).rejects.toThrow('MASTER_KEY: is not the key')

  // A rotation: the new one beside the old one, while others still have the old one alone; then the new one alone.
  await joinWith(`${next},${old}`)
  await joinWith(old)
  await joinWith(`${next},${old}`)
  await joinWith(next)
  await expect(joinWith(old)).rejects.toThrow('MASTER_KEY: is not the key')
})

test('with a broker on another machine a folder and a memory of this one are refused, both at once; on this machine they serve', () => {
  const refused = (env: Record<string, string>) => () => refuseOwnStores(readKitConfig(env), ['STORAGE_URL', 'CACHE_URL'])
  for (const BUS_URL of ['nats://user:secret@10.0.0.5:4222', 'nats://127.0.0.1:4222,nats.internal:4222', 'tls://nats.example.com'])
    expect(refused({ BUS_URL })).toThrow(/^STORAGE_URL: .*\nCACHE_URL: /)
  expect(refused({ BUS_URL: 'nats://10.0.0.5', STORAGE_URL: 's3://a:b@10.0.0.6/files' })).toThrow(/^CACHE_URL: /)
  expect(refused({ BUS_URL: 'nats://10.0.0.5', CACHE_URL: 'redis://10.0.0.6' })).toThrow(/^STORAGE_URL: /)
  for (const BUS_URL of ['local:', 'nats://operon:secret@127.0.0.1:4222', 'nats://localhost']) expect(refused({ BUS_URL })).not.toThrow()
  expect(refused({ BUS_URL: 'nats://10.0.0.5', STORAGE_URL: 's3://a:b@10.0.0.6/files', CACHE_URL: 'redis://10.0.0.6' })).not.toThrow()
})
