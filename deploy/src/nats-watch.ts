import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { connectNats } from '@operon/kit/bus/nats-connection'
import { messageOf } from '@operon/kit/inbox'
import { createLogger } from '@operon/kit/telemetry'
import type { Supervised } from './supervised.ts'

const LOOK_EVERY_MS = 3_000
const KEPT_WITHIN_MS = 5_000
/** More than fits beside the last one in a page that is there already. */
const message = 'x'.repeat(8192)
const MISSES = 3
/** A server that takes longer to greet is busy, not broken. */
const GREETS_WITHIN_MS = 500
/** A broken one does not end when it is asked to. */
const ENDS_WITHIN_MS = 2_000

/**
 * A nats-server whose disk was full keeps nothing any more, even when there is room again, and says that it is well. A message into a stream
 * of our own shows it; started again, it is well. Not into a stream of events: a newer message there would hide that older ones are missing.
 */
export function watchStore(url: string, server: Supervised, log: (line: string) => void): () => Promise<void> {
  const stopped = new AbortController()
  const watching = watch().catch((error) => {
    if (!stopped.signal.aborted) log(`NATS is not watched any more: ${error.message}`)
  })

  async function watch() {
    const nats = await connectNats(url, createLogger('silent'))
    stopped.signal.addEventListener('abort', () => void nats.close())
    const publish = () => nats.js.publish('fleet.watch', message, { timeout: KEPT_WITHIN_MS })
    const makeStream = () => nats.jsm.streams.add({ name: 'fleet_watch', subjects: ['fleet.watch'], max_msgs: 1 })
    const keeps = async () => {
      try {
        await publish().catch(async (error) => {
          if (!isAbsent(error)) throw error
          await makeStream()
        })
        return true
      } catch {
        return false
      }
    }
    for (let misses = 0; ; await delay(LOOK_EVERY_MS, undefined, { signal: stopped.signal })) {
      const pid = server.pid()
      const kept = await keeps()
      // One that was just killed, is just starting, or has no time is not at fault.
      if (kept || !pid || pid !== server.pid()) misses = 0
      else if (await greets(url)) misses += 1
      if (misses < MISSES || stopped.signal.aborted) continue
      log('NATS does not keep messages any more, as after a full disk: starting it again')
      misses = 0
      await server.restart({}, ENDS_WITHIN_MS)
    }
  }

  return async () => {
    stopped.abort()
    await watching
  }
}

/** There is no stream of ours yet. */
const isAbsent = (error: unknown) => [error, (error as Error).cause].some((each) => /no responders/i.test(messageOf(each)))

/** On a connection of its own: the one that waits for its message to be kept is answered nothing else. */
const greets = (url: string) =>
  new Promise<boolean>((resolve) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    const end = (greeted: boolean) => {
      socket.destroy()
      resolve(greeted)
    }
    socket.setTimeout(GREETS_WITHIN_MS, () => end(false))
    socket.once('data', () => end(true)).once('error', () => end(false))
  })
