import type { AppRequest } from '../../apps/app.ts'
import type { CalendarWire, Shown } from '../wire.ts'
import type { DavCall, Listed } from './calls.ts'

const asks = (dav: DavCall): AppRequest => ({ path: '', dav })

/** It tells nobody of changes, so it is listed every few minutes. */
export const caldavWire: CalendarWire = {
  list: (at) => asks({ does: 'list', at }),
  listed: (answer: Listed) => answer,
  show: (id) => asks({ does: 'show', id }),
  add: (key, event) => asks({ does: 'add', key, event }),
  change: (id, event, etag) => asks({ does: 'change', id, event, ...(etag && { etag }) }),
  remove: (id, etag) => asks({ does: 'remove', id, ...(etag && { etag }) }),
  event: (answer: Shown) => answer,
  watching: null,
}
