import { sayWhenBegun } from '@operon/kit/begin'
import Fastify from 'fastify'

// One of several copies of a service, as a process that a test can stop: `node instance-main.ts <host> <port>`. It says each call that it does.
const [host, port] = process.argv.slice(2)
const app = Fastify()
sayWhenBegun(app)
app.get('/readyz', () => ({ ok: true, failing: [], version: 'test', begins: true }))
app.post('/functions/v1/open', async (request) => {
  const { call, ms = 0 } = request.body as { call: string; ms?: number }
  console.log(`did ${call}`)
  await new Promise((resolve) => setTimeout(resolve, ms))
  return { host }
})
app.get('/functions/v1/stream', () => ({ host }))
await app.listen({ host, port: Number(port) })
console.log('ready')
process.on('disconnect', () => process.exit())
