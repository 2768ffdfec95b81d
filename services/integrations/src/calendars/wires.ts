import { CALDAV, type calendarApps } from '@operon/contracts/integrations/calendars'
import { caldavWire } from './caldav/wire.ts'
import { googleWire } from './google.ts'
import { microsoftWire } from './microsoft.ts'
import type { CalendarWire } from './wire.ts'

const wires: Record<(typeof calendarApps)[number] | typeof CALDAV, CalendarWire> = {
  'google-calendar': googleWire,
  'outlook-calendar': microsoftWire,
  [CALDAV]: caldavWire,
}
export const wireOf = (app: string): CalendarWire | undefined => (Object.hasOwn(wires, app) ? wires[app as keyof typeof wires] : undefined)
