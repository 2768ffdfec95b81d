import { event, job } from '@operon/contracts/contract'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { Bus } from './bus/bus.ts'
import { gauge } from './outbox.ts'
import type { ServiceDefinition } from './service.ts'
import { startTestService } from './testing/service.ts'
import { afterCommit, enqueue, inTransaction, publish } from './tx.ts'

const happened = event('crm.lag_happened', z.object({}))
const doomed = job('crm.lag_doomed', z.object({}), { attempts: 1 })

test('what waits and what is parked is measured, and the figure falls to nothing again', async () => {
  let go = () => {}
  const held = new Promise<void>((resolve) => (go = resolve))
  const definition: ServiceDefinition = {
    name: 'crm',
    config: z.object({}),
    migrations: {},
    setup(rt) {
      rt.on(happened, 'slow', () => held)
      rt.job(doomed, () => Promise.reject(new Error('cannot')))
    },
  }
  const platform = await startTestService(definition, { LOG_LEVEL: 'silent' })
  try {
    const { rt } = platform.services.crm!
    const bus = platform.infra.shared.get('bus of crm') as Bus
    const measured = async (what: string) => {
      await gauge({ db: rt.db, bus, jobs: rt.jobs, metrics: rt.metrics, service: 'crm' })
      const { values } = await rt.metrics.lag.get()
      return values.find(({ labels }) => labels.what === what)?.value
    }
    await inTransaction(rt.db, (trx) => publish(trx as never, happened, null, {}))
    await expect.poll(() => measured('inbox crm.slow')).toBe(1)
    go()
    await expect.poll(() => measured('inbox crm.slow')).toBe(0)
    await inTransaction(rt.db, (trx) => enqueue(trx as never, doomed, {}))
    await expect.poll(() => measured('parked jobs'), { timeout: 10_000 }).toBe(1)
  } finally {
    await platform.close()
  }
})

test('what is told after a commit may fail without failing its caller or the process', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const platform = await startTestService({ name: 'crm', config: z.object({}), migrations: {}, setup() {} })
  try {
    const told: string[] = []
    await inTransaction(platform.services.crm!.rt.db, async (trx) => {
      afterCommit(trx, () => {
        throw new Error('at once')
      })
      afterCommit(trx, () => Promise.reject(new Error('later')))
      afterCommit(trx, () => told.push('the next'))
    })
    await vi.waitFor(() => expect(warned).toHaveBeenCalledTimes(2))
    expect(told).toEqual(['the next'])
  } finally {
    await platform.close()
    warned.mockRestore()
  }
})
