import type { FastifyInstance } from 'fastify'
import { now } from './clock.ts'

/** Until when, by the platform's clock, a service may begin with a request that must not be done twice. The gateway alone says it. */
export const BEGIN_BY = 'x-operon-begin-by'

/**
 * A process that stood still finds requests in its buffers that the gateway has given to another meanwhile: those it drops unread. With
 * the others it says that it begins, before anything is done: what is then lost with the process may have been done.
 */
export function sayWhenBegun(app: FastifyInstance) {
  app.addHook('onRequest', (request, reply, done) => {
    const by = request.headers[BEGIN_BY]
    if (by === undefined) return done()
    if (now() > Number(by)) return void request.raw.socket.destroy()
    reply.raw.writeProcessing()
    done()
  })
}
