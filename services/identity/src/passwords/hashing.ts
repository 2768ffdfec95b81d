import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { compare } from 'bcryptjs'
import { refuse } from '../deps.ts'

// argon2id is this library's default.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const WAITING = 64

export type Hasher = {
  hash(password: string): Promise<string>
  /** Takes as long for nobody's password as for somebody's. `upgrade` says that the stored form is an older one. */
  verify(password: string, stored: string | null): Promise<{ ok: boolean; upgrade: boolean }>
}

/** A bounded queue: each hash takes 19 MiB, and a crowd is told to come back rather than swallowing memory. */
export async function createHasher(threads = 4): Promise<Hasher> {
  const queue = boundedQueue(atOnce(threads), WAITING)
  const nobodys = await hash(crypto.randomUUID(), COST)
  return {
    hash: (password) => queue(() => hash(password, COST)),
    verify: (password, stored) =>
      queue(async () => {
        if (stored && /^\$2[aby]\$/.test(stored)) return { ok: await compare(password, stored), upgrade: true }
        const ok = await verify(stored ?? nobodys, password)
        return { ok: ok && stored !== null, upgrade: stored !== null && !stored.includes('m=19456,t=2') }
      }),
  }
}

/** More than there are cores would only fight for them, and files and names are looked up by the same threads: one stays free. */
const atOnce = (threads: number) => Math.max(1, Math.min(availableParallelism(), threads - 1))

export const isPasswordHash = (text: string) =>
  /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(text) || /^\$argon2id?\$v=19\$m=\d+,t=\d+,p=\d+\$[\w+/]+\$[\w+/]+$/.test(text)

function boundedQueue(running: number, waiting: number) {
  let active = 0
  const queue: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (active >= running) {
      if (queue.length >= waiting)
        throw refuse(429, 'over_request_rate_limit', 'Request rate limit reached', { headers: { 'retry-after': '1' } })
      await new Promise<void>((resolve) => queue.push(resolve))
    } else active++
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else active--
    }
  }
}
