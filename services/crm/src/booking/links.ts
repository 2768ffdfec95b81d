import { createHmac, timingSafeEqual } from 'node:crypto'
import { DomainError } from '@operon/kit/errors'
import type { Vault } from '@operon/kit/vault'

const macOf = (vault: Vault, id: string) => createHmac('sha256', vault.derive('booking-links')).update(id).digest('base64url')

/** The content of a link in an email: the booking's id, and a proof that we gave it. */
export const tokenOf = (vault: Vault, id: string): string => `${id}.${macOf(vault, id)}`

export function bookingIdIn(vault: Vault, token: string): string {
  const [id = '', mac = ''] = token.split('.')
  const [given, expected] = [Buffer.from(mac), Buffer.from(macOf(vault, id))]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new DomainError('booking_link')
  return id
}

export const manageUrl = (home: string, vault: Vault, id: string) => `${home}/booking/${tokenOf(vault, id)}`
