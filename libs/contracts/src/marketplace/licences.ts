import { z } from 'zod'
import { fn } from '../contract.ts'

// Called by the software that a seller sells. A key is 128 random bits, so whoever has it has bought it.

const key = z.string().trim().min(8).max(80)
const item_id = z.uuid().meta({ description: 'The product, so that a key of another one does not count.' })
const machine = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .meta({ description: 'What tells one installation from another, such as a hashed machine id.' })

export const LicenceStanding = z.object({
  valid: z.boolean(),
  /** `unknown` says as little of a key of another product as of none. */
  reason: z.enum(['unknown', 'refunded', 'not_activated', 'limit_reached']).nullable(),
  /** Of the version that was bought. */
  activation_limit: z.int().nullable(),
  activations: z.int(),
})
const example = { valid: true, reason: null, activation_limit: 3, activations: 1 }
const request = { key: 'OPRN-7K3Q-9XDM-2VHT-B4WC-6RZA-N8EF', item_id: '0190a1b2-0000-7000-8000-000000000005', machine: 'a1b2c3' }
const asked = { access: 'public', rate: 'auth-strict', demo: 'reads', errors: [] } as const

export const checkLicence = fn('check-licence', {
  ...asked,
  summary: 'Whether a licence key is good, for the seller’s own software',
  description: 'With a machine, whether it is activated there.',
  body: z.object({ key, item_id, machine: machine.optional() }),
  reply: LicenceStanding,
  example: { request, reply: example },
})
export const activateLicence = fn('activate-licence', {
  ...asked,
  demo: 'changes',
  summary: 'Activates a licence key on a machine',
  description: 'The same machine again counts once. Beyond the limit it is refused with `limit_reached`.',
  body: z.object({ key, item_id, machine }),
  reply: LicenceStanding,
  example: { request, reply: example },
})
export const deactivateLicence = fn('deactivate-licence', {
  ...asked,
  demo: 'changes',
  summary: 'Gives the activation of a machine back',
  body: z.object({ key, item_id, machine }),
  reply: LicenceStanding,
  example: { request, reply: { ...example, valid: false, reason: 'not_activated', activations: 0 } },
})
