import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Vault } from '@operon/kit/vault'

// 16 bytes of session id, 4 of counter, 24 of HMAC: nothing about a token is stored, so nothing can leak.
const LENGTH = 44

export function writeRefreshToken(vault: Vault, sessionId: string, counter: number): string {
  const body = Buffer.alloc(20)
  body.write(sessionId.replaceAll('-', ''), 0, 'hex')
  body.writeUInt32BE(counter, 16)
  return Buffer.concat([body, seal(vault, body)]).toString('base64url')
}

/** A malformed token is told apart from an unknown one, as the protocol does. */
export const hasTokenForm = (token: string): boolean => /^[\w-]{59}$/.test(token)

/** Null for anything that this server did not write. */
export function readRefreshToken(vault: Vault, token: string): { sessionId: string; counter: number } | null {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== LENGTH || bytes.toString('base64url') !== token) return null
  const body = bytes.subarray(0, 20)
  if (!timingSafeEqual(seal(vault, body), bytes.subarray(20))) return null
  const hex = body.toString('hex', 0, 16)
  return {
    sessionId: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
    counter: body.readUInt32BE(16),
  }
}

const seal = (vault: Vault, body: Buffer) => createHmac('sha256', vault.secret('refresh-tokens')).update(body).digest().subarray(0, 24)
