import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Request } from '@operon/contracts/contract'
import type { z } from 'zod'
import type { Bus } from './bus/bus.ts'
import type { Actor } from './context.ts'
import { DomainError } from './errors.ts'
import { stayInside } from './trial.ts'
import type { Vault } from './vault.ts'

/** A bus request: the input, whom it is for, and the fleet's signature over what is asked and both, so that reaching the broker is not enough to speak. */
export type SignedRequest = { input: unknown; actor: Actor; at: number; trace?: string | undefined; signature: string }

const MAX_AGE_MS = 60_000 + 15 * 60_000 // a clock may be a quarter of an hour off

export function signRequest(vault: Vault, name: string, input: unknown, actor: Actor, trace?: string): SignedRequest {
  const at = Date.now()
  return { input, actor, at, ...(trace && { trace }), signature: signatureOf(vault, name, input, actor, at) }
}

/** How somebody asks: in whose name, how long they wait, and on which trace. */
export type Asking = { actor?: Actor; deadlineMs?: number; trace?: string | undefined }

/** Asks the service that answers to this contract, and believes what fits it. */
export async function askOver<R extends Request>(
  { bus, vault }: { bus: Bus; vault: Vault },
  { name, input, reply }: R,
  given: z.input<R['input']>,
  { actor = { kind: 'service' }, deadlineMs = 5_000, trace }: Asking = {},
): Promise<z.output<R['reply']>> {
  stayInside('another service')
  return reply.parse(
    await bus.request(name, signRequest(vault, name, input.parse(given), actor, trace), deadlineMs, { mayRepeat: true }),
  ) as z.output<R['reply']>
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
  createHmac('sha256', vault.secret('fleet-requests'))
    .update(JSON.stringify([name, input, actor, at]))
    .digest('base64url')
