import { DAY_MS } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import type { Runtime } from '@operon/kit/service'
import type { CrmDb } from '../schema.ts'

const OF_A_GUEST_A_DAY = 8
const OF_A_HOST_A_DAY = 500
/** Across all hosts, since one person can open many accounts. */
const TO_A_GUEST_A_DAY = 24

/** Each booking sends emails, so a stranger can cause only so many to one address, or for one host. */
export async function bounded({ cache }: Pick<Runtime<CrmDb>, 'cache'>, hostId: string, email: string): Promise<void> {
  const guest = await cache.take(`bookings of ${hostId} ${email}`, OF_A_GUEST_A_DAY, DAY_MS)
  const host = guest.ok ? await cache.take(`bookings of ${hostId}`, OF_A_HOST_A_DAY, DAY_MS) : guest
  const inbox = host.ok ? await cache.take(`bookings to ${email}`, TO_A_GUEST_A_DAY, DAY_MS) : host
  if (!inbox.ok) throw new DomainError('booking_many')
}
