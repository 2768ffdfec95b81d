import { job } from '@operon/contracts/contract'
import { newsletterSweep } from '@operon/contracts/crm/events'
import { serviceNames } from '@operon/contracts/services'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { newId } from './ids.ts'
import { park } from './inbox.ts'
import { openParked, replay } from './replay.ts'
import type { ServiceDefinition } from './service.ts'
import { startTestService } from './testing/service.ts'
import { enqueue, inTransaction } from './tx.ts'

const doomed = job(newsletterSweep.name, z.object({}), { attempts: 1 })

test('what is parked is listed with its reason, and done again once its cause is mended', async () => {
  let isMended = false
  const done: string[] = []
  const definition: ServiceDefinition = {
    name: 'crm',
    config: z.object({}),
    migrations: {},
    setup(rt) {
      rt.on({ kind: 'event', name: 'crm.mended', payload: z.object({}) } as never, 'heard', async () => void done.push('event'))
      rt.job(doomed, async () => {
        if (!isMended) throw new Error('cannot yet')
        done.push('job')
      })
    },
  }
  const platform = await startTestService(definition, { LOG_LEVEL: 'silent' })
  const own = platform.infra.env.DATABASE_URL_CRM
  const env = Object.fromEntries(serviceNames.map((name) => [`DATABASE_URL_${name.toUpperCase().replaceAll('-', '_')}`, own]))
  const parked = await openParked(env)
  try {
    const { rt } = platform.services.crm!
    const id = await inTransaction(rt.db, (trx) => enqueue(trx as never, doomed, {}))
    const envelope = { id: newId(), name: 'crm.mended', at: new Date().toISOString(), user_id: null, payload: {} }
    await park(rt.db as never, { handler: 'crm.heard', envelope }, 8, 'Error: not then')
    const listed = async () => (await parked.list()).filter(({ service }) => service === 'crm').map(({ id, error }) => ({ id, error }))
    await expect.poll(listed).toEqual([
      { id: envelope.id, error: 'Error: not then' },
      { id, error: 'cannot yet' },
    ])
    isMended = true
    await replay(env, [envelope.id])
    await replay(env, [id])
    await expect.poll(() => done.toSorted()).toEqual(['event', 'job'])
    await expect.poll(listed).toEqual([])
    await expect(replay(env, [id])).rejects.toThrow('nothing is parked as')
  } finally {
    await parked.close()
    await platform.close()
  }
})

test('without a database to ask it says so in a line', async () => {
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/postgres' }
  await expect(replay(env, [])).rejects.toThrow(/^PostgreSQL at 127\.0\.0\.1:1 does not answer \(.*\): does the platform run\?$/)
})
