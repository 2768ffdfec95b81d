import { describe } from 'vitest'
import { createLogger } from '../telemetry.ts'
import { isInstalled, spawnRedis, type TestProgram } from '../testing/servers.ts'
import { jobsSuite } from './jobs.suite.ts'
import { openRedisQueue } from './redis.ts'

const installed = isInstalled('redis-server')
const server: TestProgram | null = installed ? await spawnRedis() : null

describe.skipIf(!server)(server ? 'with redis-server' : 'skipped: redis-server is not installed here', () => {
  jobsSuite(server?.url ?? 'redis:', async () => ({
    store: () => openRedisQueue(server!.url, createLogger('silent')),
    close: () => server!.stop(),
  }))
})
