import { createHash } from 'node:crypto'
import { Readable, Transform } from 'node:stream'
import { DomainError } from '../errors.ts'

export const asStream = (body: Readable | Uint8Array): Readable => (body instanceof Uint8Array ? Readable.from([body]) : body)

/** Counts and hashes what passes, and fails as soon as it is too much. */
export function meter(maxBytes = Number.POSITIVE_INFINITY) {
  const hash = createHash('sha256')
  const seen = { size: 0 }
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen.size += chunk.length
      if (seen.size > maxBytes) return done(new DomainError('too_large'))
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return { through, seen, etag: () => `"${hash.digest('base64url').slice(0, 27)}"` }
}
