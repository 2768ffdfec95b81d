import { describe } from 'vitest'
import { createLogger } from '../telemetry.ts'
import { spawnRedis, whyAbsent } from '../testing/servers.ts'
import { jobsSuite } from './jobs.suite.ts'
import { openRedisQueue } from './redis.ts'

const absent = await whyAbsent('redis-server')
const server = absent ? null : await spawnRedis()

describe.skipIf(absent)(absent ? `skipped: ${absent}` : 'with redis-server', () => {
  jobsSuite(server?.url ?? 'redis:', async () => ({
    store: () => openRedisQueue(server!.url, createLogger('silent')),
    close: () => server!.stop(),
  }))
})
