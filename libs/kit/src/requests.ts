import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Actor } from './context.ts'
import { DomainError } from './errors.ts'
import type { Vault } from './vault.ts'

/** A bus request: the input, whom it is for, and the fleet's signature over what is asked and both, so that reaching the broker is not enough to speak. */
export type SignedRequest = { input: unknown; actor: Actor; at: number; trace?: string | undefined; signature: string }

const MAX_AGE_MS = 60_000 + 15 * 60_000 // a clock may be a quarter of an hour off

export function signRequest(vault: Vault, name: string, input: unknown, actor: Actor, trace?: string): SignedRequest {
  const at = Date.now()
  return { input, actor, at, ...(trace && { trace }), signature: signatureOf(vault, name, input, actor, at) }
}

export function verifyRequest(
  vault: Vault,
  name: string,
  request: SignedRequest,
): { input: unknown; actor: Actor; trace?: string | undefined } {
  const expected = Buffer.from(signatureOf(vault, name, request.input, request.actor, request.at))
  const given = Buffer.from(String(request.signature))
  const good = given.length === expected.length && timingSafeEqual(given, expected) && Math.abs(Date.now() - request.at) < MAX_AGE_MS
  if (!good) throw new DomainError('not_authenticated')
  return request
}

const signatureOf = (vault: Vault, name: string, input: unknown, actor: Actor, at: number) =>
  createHmac('sha256', vault.derive('fleet-requests'))
    .update(JSON.stringify([name, input, actor, at]))
    .digest('base64url')
