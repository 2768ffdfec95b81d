import { CALDAV as ID } from '@operon/contracts/integrations/calendars'
import type { AppDefinition } from './app.ts'
import { CUSTOM } from './custom.ts'

/** In the place of an app's id: a calendar at a server of the person's own choice. It is none of the catalogue and in none of its lists. */
export const CALDAV = ID as typeof CUSTOM
/** Connections beside the catalogue. Nothing looks at them by itself. */
export const BESIDE = [CUSTOM, CALDAV]

export const caldav: AppDefinition = {
  id: CALDAV,
  api: ({ base }) => base ?? '',
  who: { path: '', read: ({ id, name }) => ({ id, name }) },
  // A step takes a few requests, of a server that may be somebody's own small one.
  perMinute: 300,
  actions: {},
}
