import { reconcile } from '@operon/contracts/billing/events'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import { newId } from '@operon/kit/ids'
import type { ServiceDefinition } from '@operon/kit/service'
import { startTestPlatform } from '@operon/kit/testing/service'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { billingService } from '../service.ts'

test('where payments are not set up, the sweep asks nobody and ends as it should', { timeout: 60_000 }, async () => {
  let asked = 0
  const guide: ServiceDefinition = {
    name: 'sandbox',
    config: z.object({}),
    migrations: {},
    setup: (rt) =>
      rt.answer(sandboxAddress, async () => {
        asked++
        throw new Error('there is no sandbox here')
      }),
  }
  // An address of real people, without the provider's key: the sandbox does not stand in.
  const platform = await startTestPlatform([guide, billingService], { PUBLIC_URL: 'https://studio.example' })
  try {
    const { jobs } = platform.services.billing!.rt
    const id = newId()
    await jobs.add([{ id, name: reconcile.name, user_id: null, payload: {}, trace: null }])
    await expect.poll(async () => (await jobs.status(id))?.state, { timeout: 30_000 }).toMatch(/completed|parked/)
    expect((await jobs.status(id))?.state).toBe('completed')
    expect(await jobs.parked()).toEqual([])
    expect(asked).toBe(0)
  } finally {
    await platform.close()
  }
})
