// The proxy that a user of Fastify would pick instead. Its pool is widened, or the 129th stream would wait.
import { createRequire } from 'node:module'

const require = createRequire(new URL('../../../gateway/package.json', import.meta.url))
const { port, upstream } = JSON.parse(process.argv[2]!) as { port: number; upstream: string }
const app = require('fastify')()
app.register(require('@fastify/http-proxy'), { upstream, undici: { connections: 2048, pipelining: 1 }, disableRequestLogging: true })
await app.listen({ port, host: '127.0.0.1' })
process.send!('ready')
