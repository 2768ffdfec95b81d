import { describe } from 'vitest'
import { createLogger } from '../telemetry.ts'
import { spawnNats, whyAbsent } from '../testing/servers.ts'
import { busSuite } from './bus.suite.ts'
import { createNatsBus } from './nats.ts'
import { connectNats, type Nats } from './nats-connection.ts'
import { createSeal } from './seal.ts'

const log = createLogger('silent')
const absent = await whyAbsent('nats-server')

describe.skipIf(absent)(absent ? `skipped: ${absent}` : 'with nats-server', () => {
  busSuite('nats:', async () => {
    const server = await spawnNats()
    const connections: Nats[] = []
    return {
      // A connection each, as in a fleet.
      async open(owner) {
        const nats = await connectNats(server.url, log)
        connections.push(nats)
        return createNatsBus(nats, owner, createSeal({ key: Buffer.alloc(32), log }), nats.close)
      },
      async close() {
        for (const nats of connections) await nats.close()
        await server.stop()
      },
    }
  })
})
