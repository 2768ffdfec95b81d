import { setTimeout as delay } from 'node:timers/promises'

/** A probe is answered within 200 ms, whatever the part that it is about takes. */
const ANSWER_WITHIN_MS = 150
/** A service that has not answered for so long is away, whatever it said before. */
const BELIEVED_FOR_MS = 2_000

/** Asks a part whether it is there, one question at a time; while it is slow to answer, what it said last stands for a moment. */
export function watched(ask: () => boolean | Promise<boolean>): () => Promise<boolean> {
  let asking: Promise<boolean> | null = null
  let askedAt = 0
  let last = false
  return async () => {
    if (!asking) {
      askedAt = performance.now()
      asking = Promise.resolve()
        .then(ask)
        .catch(() => false)
        .then((is) => {
          asking = null
          last = is
          return is
        })
    }
    const late = new AbortController()
    const slow = delay(ANSWER_WITHIN_MS, null, { signal: late.signal, ref: false }).catch(() => null)
    const answer = await Promise.race([asking, slow])
    late.abort()
    return answer ?? (last && performance.now() - askedAt < BELIEVED_FOR_MS)
  }
}
