import { randomUUID } from 'node:crypto'
import { connectRedis } from '../cache/redis.ts'
import type { Logger } from '../telemetry.ts'

const MARK = 'operon:memory'

/** The queue in Redis. It acknowledges before anything is on disk, so the relay looks after what it was given. */
export async function openRedisQueue(url: string, log: Logger, withinMs?: number) {
  const redis = await connectRedis(url, log, 'queue', withinMs)
  let absences = 0
  redis.on('close', () => absences++)
  return {
    connection: redis,
    mayForget: true,
    async memory() {
      const mark = await redis.get(MARK)
      if (!mark) await redis.set(MARK, randomUUID(), 'NX')
      return `${absences} ${mark ?? (await redis.get(MARK))}`
    },
    ready: () => redis.status === 'ready',
    open: async () => {},
    close: async () => void redis.disconnect(),
  }
}
