import { connectRedis } from '../cache/redis.ts'
import type { Logger } from '../telemetry.ts'

/** The queue in Redis. It acknowledges before anything is on disk, so the relay looks after what it was given. */
export async function openRedisQueue(url: string, log: Logger) {
  const redis = await connectRedis(url, log, 'queue')
  return {
    connection: redis,
    mayForget: true,
    ready: () => redis.status === 'ready',
    open: async () => {},
    close: async () => void redis.disconnect(),
  }
}
