import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { createLogger } from '../telemetry.ts'
import { spawnRedis, whyAbsent } from '../testing/servers.ts'
import { cacheSuite } from './cache.suite.ts'
import { createMemoryCache } from './memory.ts'
import { createRedisCache } from './redis.ts'

cacheSuite('memory:', async () => {
  const cache = createMemoryCache()
  return { open: async () => cache, close: async () => {} }
})

test('a full memory cache forgets what was used longest ago', async () => {
  const cache = createMemoryCache(3)
  for (const key of ['a', 'b', 'c']) await cache.set(key, key, 60_000)
  await cache.get('a')
  await cache.set('d', 'd', 60_000)
  expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => cache.get(key)))).toEqual(['a', null, 'c', 'd'])
})

const absent = await whyAbsent('redis-server')

describe.skipIf(absent)(absent ? `skipped: ${absent}` : 'with redis-server', () => {
  cacheSuite('redis:', async () => {
    const server = await spawnRedis()
    return { open: () => createRedisCache(server.url, createLogger('silent')), close: server.stop }
  })

  test('Redis that writes to a slow disk for a moment is waited for', async () => {
    const server = await spawnRedis()
    const cache = await createRedisCache(server.url, createLogger('silent'))
    const other = new Redis(server.url)
    await other.client('PAUSE', 1_800, 'ALL')
    expect(await cache.take('a', 10, 1000)).toMatchObject({ ok: true })
    other.disconnect()
    await cache.close()
    await server.stop()
  })

  test('without Redis a caller is told at once, and again served when it is back', async () => {
    const server = await spawnRedis()
    const cache = await createRedisCache(server.url, createLogger('silent'))
    await cache.set('a', 'x', 60_000)
    await server.kill()
    await expect.poll(() => cache.ready()).toBe(false)
    const began = Date.now()
    await expect(cache.take('a', 10, 1000)).rejects.toMatchObject({ code: 'unavailable' })
    expect(Date.now() - began).toBeLessThan(1500)
    await server.restart()
    await expect.poll(() => cache.get('a').catch(() => null), { timeout: 8_000 }).toBe('x')
    await cache.close()
    await server.stop()
  })
})
