import { DAY_MS } from '@operon/kit/clock'
import { type Ctx, userIdOf } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { addressBlock } from '@operon/kit/mail/blocks'
import type { Runtime } from '@operon/kit/service'
import type { CrmDb } from '../schema.ts'

const OF_A_GUEST_A_DAY = 8
const OF_A_HOST_A_DAY = 500
/** For one host. A single stranger leaves the day to other guests. */
const OF_A_CALLER_A_DAY = 60
/** Across all hosts, since one person can open many accounts. */
const TO_A_GUEST_A_DAY = 24

/** Each booking sends emails, so a stranger can cause only so many to one address, or for one host. */
export async function bounded(ctx: Ctx<CrmDb>, { cache }: Pick<Runtime<CrmDb>, 'cache'>, hostId: string, email: string): Promise<void> {
  const caller = await cache.take(`bookings of ${hostId} from ${callerOf(ctx)}`, OF_A_CALLER_A_DAY, DAY_MS)
  const guest = caller.ok ? await cache.take(`bookings of ${hostId} ${email}`, OF_A_GUEST_A_DAY, DAY_MS) : caller
  const host = guest.ok ? await cache.take(`bookings of ${hostId}`, OF_A_HOST_A_DAY, DAY_MS) : guest
  const inbox = host.ok ? await cache.take(`bookings to ${email}`, TO_A_GUEST_A_DAY, DAY_MS) : host
  if (!inbox.ok) throw new DomainError('booking_many')
}

/** A visitor is their network. An assistant asks for a person from wherever it runs. */
export const callerOf = ({ actor, ip }: Pick<Ctx, 'actor' | 'ip'>): string => userIdOf(actor) ?? addressBlock(ip)
