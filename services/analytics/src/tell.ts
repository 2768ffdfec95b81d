import type { Event } from '@operon/contracts/contract'
import type { Runtime } from '@operon/kit/service'
import type { z } from 'zod'

/** Tells open sockets. A page that misses it sees the same on the next read, so a failure is only logged. */
export const tell = <E extends Event>(rt: Runtime<any>, event: E, payload: z.input<E['payload']>): Promise<void> =>
  rt
    .broadcast(event, payload)
    .catch((err) => rt.log.warn({ err, event: event.name }, 'open pages were not told of an event; they show it when they load again'))
