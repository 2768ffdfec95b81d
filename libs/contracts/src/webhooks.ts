import { z } from 'zod'
import type { Event } from './contract.ts'
import { withoutPersonal } from './marks.ts'
import { durableEvents } from './registry.ts'

/** An event that a customer's webhook can hear of. */
export type WebhookEvent = Event & { trigger: NonNullable<Event['trigger']> }
export const webhookEvents = (): WebhookEvent[] => durableEvents().filter((event): event is WebhookEvent => event.trigger !== undefined)

/** A receiver reads the version from the type: a payload that changes its meaning is sent as the next one. */
export const webhookType = (name: string): string => `${name}.v1`

/** The payload without personal fields; a receiver asks for those by id where it may. */
export const webhookBody = (event: Pick<Event, 'name' | 'payload'>, at: string, payload: unknown): string =>
  JSON.stringify({ type: webhookType(event.name), timestamp: at, data: withoutPersonal(event.payload, payload) })

/** The fields of `data`. */
export function webhookFields({ payload }: Pick<Event, 'payload'>): string[] {
  const json = z.toJSONSchema(payload, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as { properties?: Record<string, any> }
  const isPersonal = (field: any): boolean => field['x-personal'] ?? (field.anyOf ?? field.oneOf ?? []).some(isPersonal)
  return Object.entries(json.properties ?? {}).flatMap(([name, field]) => (isPersonal(field) ? [] : [name]))
}
