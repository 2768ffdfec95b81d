import { fn } from '@operon/contracts/contract'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { serve } from './http.ts'
import type { ServiceDefinition } from './service.ts'
import { spawnNats, whyAbsent } from './testing/servers.ts'
import { startTestService } from './testing/service.ts'

const absent = await whyAbsent('nats-server')
const why = absent ? `skipped: ${absent}: ` : ''
const look = fn('look', { access: 'user', reply: z.object({ ok: z.boolean() }) })
const crm: ServiceDefinition = {
  name: 'crm',
  config: z.object({}),
  migrations: {},
  setup: (rt) => serve(rt.app, look, async () => ({ ok: true })),
}

test.skipIf(absent)(
  `${why}a service whose broker is away is ready, names it, and answers whoever it knows`,
  { timeout: 60_000 },
  async () => {
    const nats = await spawnNats()
    onTestFinished(nats.stop)
    const platform = await startTestService(crm, { BUS_URL: nats.url })
    onTestFinished(() => platform.close(), 30_000)
    const service = platform.services.crm!
    const { headers } = platform.user()
    const asked = async () => (await fetch(`${platform.url()}/functions/v1/look`, { method: 'POST', headers })).status
    await expect.poll(asked, { timeout: 10_000 }).toBe(200)
    expect(await service.ready()).toMatchObject({ ok: true, failing: [] })

    await nats.kill()
    await expect.poll(async () => (await service.ready()).failing, { timeout: 15_000 }).toEqual(['crm: bus'])
    expect((await service.ready()).ok).toBe(true)
    expect(await asked()).toBe(200)

    await nats.restart()
    await expect.poll(async () => (await service.ready()).failing, { timeout: 30_000 }).toEqual([])
  },
)
