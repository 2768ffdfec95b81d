import { DomainError } from '@operon/kit/errors'

type Turn = <T>(who: string, work: () => Promise<T>) => Promise<T>

/** So many at once, of each person one after the other, and the persons in turn: unpacked, a large picture takes a hundred megabytes. */
export function turns(atOnce: number, mostWaiting: number): Turn {
  const waiting = new Map<string, (() => void)[]>()
  const served = new Set<string>()

  function callNext() {
    for (const [who, queue] of waiting) {
      if (served.size >= atOnce) return
      if (served.has(who)) continue
      const go = queue.shift()!
      if (!queue.length) waiting.delete(who)
      served.add(who)
      go()
    }
  }

  return async (who, work) => {
    const queue = waiting.get(who) ?? []
    if (queue.length >= mostWaiting) throw new DomainError('rate_limited', { headers: { 'retry-after': '2' } })
    await new Promise<void>((go) => {
      queue.push(go)
      waiting.set(who, queue)
      callNext()
    })
    try {
      return await work()
    } finally {
      served.delete(who)
      // Behind everybody else's.
      const rest = waiting.get(who)
      if (rest && waiting.delete(who)) waiting.set(who, rest)
      callNext()
    }
  }
}

/** Of files that people ask for. */
export const unpacking = turns(4, 32)
/** Of pictures that they bring. */
export const cleaning = turns(2, 3)
