import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Vault } from '@operon/kit/vault'

/** The order's link is made from its id, so that a letter that is sent again carries the same and no secret lies in a queue. */
export function tokenOf(vault: Vault, orderId: string): string {
  const id = bytesOf(orderId)
  return Buffer.concat([id, macOf(vault, 'order link', id)]).toString('base64url')
}

/** The order that a token opens, or null where it is not one of these. */
export function orderOfToken(vault: Vault, token: string): string | null {
  const given = Buffer.from(token, 'base64url')
  if (given.length !== 16 + MAC) return null
  const id = given.subarray(0, 16)
  return timingSafeEqual(macOf(vault, 'order link', id), given.subarray(16)) ? uuidOf(id) : null
}

export const orderLink = (publicUrl: string, vault: Vault, orderId: string) => `${publicUrl}/orders/${tokenOf(vault, orderId)}`

type Pass = { orderId: string; fileId: string; expiresS: number }
/** The right to one file of one order for a few minutes. Whether the order still stands is asked each time it is shown. */
export function passOf(vault: Vault, { orderId, fileId, expiresS }: Pass): string {
  const expires = Buffer.alloc(6)
  expires.writeUIntBE(expiresS, 0, 6)
  const said = Buffer.concat([bytesOf(orderId), bytesOf(fileId), expires])
  return Buffer.concat([said, macOf(vault, 'order file', said)]).toString('base64url')
}
export function readPass(vault: Vault, pass: string): Pass | null {
  const given = Buffer.from(pass, 'base64url')
  if (given.length !== 38 + MAC) return null
  const said = given.subarray(0, 38)
  if (!timingSafeEqual(macOf(vault, 'order file', said), given.subarray(38))) return null
  return { orderId: uuidOf(said.subarray(0, 16)), fileId: uuidOf(said.subarray(16, 32)), expiresS: said.readUIntBE(32, 6) }
}

export const hashOf = (token: string) => createHash('sha256').update(token).digest()

const MAC = 24
export const macOf = (vault: Vault, purpose: string, said: Buffer | string) =>
  createHmac('sha256', vault.derive(purpose)).update(said).digest().subarray(0, MAC)
export const bytesOf = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex')
export const uuidOf = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
