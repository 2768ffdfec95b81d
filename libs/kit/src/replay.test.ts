import { job } from '@operon/contracts/contract'
import { newsletterSweep } from '@operon/contracts/crm/events'
import { serviceNames } from '@operon/contracts/services'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { newId } from './ids.ts'
import { isDone, park } from './inbox.ts'
import { openParked, replay } from './replay.ts'
import type { ServiceDefinition } from './service.ts'
import { startTestService } from './testing/service.ts'
import { enqueue, inTransaction } from './tx.ts'

const doomed = job(newsletterSweep.name, z.object({}), { attempts: 1 })

/** One database in every service's place. */
const allAt = (url: string | undefined) =>
  Object.fromEntries(serviceNames.map((name) => [`DATABASE_URL_${name.toUpperCase().replaceAll('-', '_')}`, url]))

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
  const env = allAt(platform.infra.env.DATABASE_URL_CRM)
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

test('what shall never be done is put away with who decided so and why, and is not done', async () => {
  const told = vi.spyOn(console, 'log').mockImplementation(() => {})
  const tries: string[] = []
  const definition: ServiceDefinition = {
    name: 'crm',
    config: z.object({}),
    migrations: {},
    setup(rt) {
      rt.on({ kind: 'event', name: 'crm.unwanted', payload: z.object({}) } as never, 'heard', async () => void tries.push('event'))
      rt.job(doomed, async () => {
        tries.push('job')
        throw new Error('cannot\nand why that is so\nat length')
      })
    },
  }
  const platform = await startTestService(definition, { LOG_LEVEL: 'silent' })
  const env = allAt(platform.infra.env.DATABASE_URL_CRM)
  const parked = await openParked(env)
  try {
    const { rt } = platform.services.crm!
    const id = await inTransaction(rt.db, (trx) => enqueue(trx as never, doomed, {}))
    const envelope = { id: newId(), name: 'crm.unwanted', at: new Date().toISOString(), user_id: null, payload: {} }
    await park(rt.db as never, { handler: 'crm.heard', envelope }, 8, 'Error: not then')
    const listed = async () => (await parked.list()).filter(({ service }) => service === 'crm').map((each) => each.id)
    await expect.poll(listed).toEqual([envelope.id, id])
    await replay(env, [])
    expect(told.mock.calls.flat().join('\n')).toContain('  cannot\n  and why that is so\n  at length')
    for (const words of [['--discard', id], ['--discard', id, '--reason', ' '], ['--discard']])
      await expect(replay(env, words)).rejects.toThrow('--reason why')
    expect(await listed()).toHaveLength(2)
    await replay(env, ['--discard', id, '--reason', 'the order was cancelled by hand'])
    await replay(env, ['--discard', envelope.id, '--reason', 'heard twice'])
    expect(await listed()).toEqual([])
    expect(tries).toEqual(['job'])
    const audit = await rt.db
      .selectFrom('discarded_work')
      .select(['what', 'reason', 'attempts', 'discarded_by'])
      .orderBy('discarded_at')
      .execute()
    expect(audit).toEqual([
      {
        what: `job ${doomed.name} ${id}`,
        reason: 'the order was cancelled by hand',
        attempts: 1,
        discarded_by: expect.stringContaining('@'),
      },
      {
        what: `event crm.unwanted in crm.heard ${envelope.id}`,
        reason: 'heard twice',
        attempts: 8,
        discarded_by: expect.stringContaining('@'),
      },
    ])
    // Heard again, it is done already.
    expect(await isDone(rt.db as never, 'crm.heard', envelope.id)).toBe(true)
    await expect(replay(env, ['--discard', id, '--reason', 'again'])).rejects.toThrow('nothing is parked as')
  } finally {
    told.mockRestore()
    await parked.close()
    await platform.close()
  }
})

test('without a database to ask it says so in a line', async () => {
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/postgres' }
  await expect(replay(env, [])).rejects.toThrow(/^PostgreSQL at 127\.0\.0\.1:1 does not answer \(.*\): does the platform run\?$/)
})
