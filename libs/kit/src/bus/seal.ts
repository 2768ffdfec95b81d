import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import { headers, type MsgHdrs } from '@nats-io/transport-node'
import type { Logger } from '../telemetry.ts'

/** The parts of a NATS message that the signature covers, and the header that carries it. */
type Sealed = { subject: string; data: Uint8Array; headers?: MsgHdrs | undefined }

/**
 * The fleet's signature on each message, in a header, so that a version that does not know it reads the same body. It covers the subject, which
 * for an answer is the asker's own inbox, so a signed message counts nowhere else.
 */
export type Seal = {
  sign(subject: string, body: string): MsgHdrs
  /** False for a message that this fleet did not send; the log says so. `once`: it must also be young and not have come before. */
  accepts(message: Sealed, options?: { once?: boolean }): boolean
}

const HEADER = 'Operon-Signature'
const MAX_AGE_MS = 60_000 + 15 * 60_000 // a clock may be a quarter of an hour off
/** More than a service hears of broadcasts and requests within that age, except under load. */
const REMEMBERED = 20_000
const LOG_EVERY_MS = 10_000

type Options = {
  key: Buffer
  log: Logger
  /** Until then a message without a signature counts, as the version before sends them. */
  unsignedUntil?: number | undefined
}

export function createSeal({ key, log, unsignedUntil = 0 }: Options): Seal {
  // Bytes as a key would be looked at anew for each message, which costs more than the signature.
  const secret = createSecretKey(key)
  const seen = new Set<string>()
  const refused = quietly(log, 'a message on the broker was not signed by this fleet and is dropped')
  const unsigned = quietly(log, 'a message without a signature was accepted: BUS_UNSIGNED_UNTIL allows it')

  const signatureOf = (subject: string, at: string, nonce: string, body: Uint8Array | string) =>
    createHmac('sha256', secret).update(`${subject}\n${at}\n${nonce}\n`).update(body).digest('base64url')

  function problemOf({ subject, data, headers }: Sealed, once: boolean): string | null {
    const given = headers?.get(HEADER)
    if (!given) return Date.now() < unsignedUntil ? null : 'it has no signature'
    const [at = '', nonce = '', signature = ''] = given.split(' ')
    const [expected, actual] = [Buffer.from(signatureOf(subject, at, nonce, data)), Buffer.from(signature)]
    if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return 'its signature is wrong'
    if (!once) return null
    if (!(Math.abs(Date.now() - Number(at)) < MAX_AGE_MS)) return 'it is too old'
    if (seen.has(nonce)) return 'it came before'
    seen.add(nonce)
    if (seen.size > REMEMBERED) seen.delete(seen.values().next().value!)
    return null
  }

  return {
    sign(subject, body) {
      const [at, nonce] = [String(Date.now()), randomBytes(12).toString('base64url')]
      const signed = headers()
      signed.set(HEADER, `${at} ${nonce} ${signatureOf(subject, at, nonce, body)}`)
      return signed
    },
    accepts(message, { once = false } = {}) {
      const problem = problemOf(message, once)
      if (problem) refused(message.subject, problem)
      else if (!message.headers?.get(HEADER)) unsigned(message.subject)
      return problem === null
    },
  }
}

/** One line every few seconds with how many it stands for: whoever floods the broker must not fill the disk with log lines. */
function quietly(log: Logger, text: string) {
  let since = Number.NEGATIVE_INFINITY
  let more = 0
  return (subject: string, why?: string) => {
    if (performance.now() - since < LOG_EVERY_MS) return void more++
    log.warn({ subject, ...(why && { why }), ...(more && { more_since_the_last_line: more }) }, text)
    since = performance.now()
    more = 0
  }
}
