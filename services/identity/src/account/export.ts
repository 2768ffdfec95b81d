import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import type { AuthCtx } from '../deps.ts'
import type { ExportPlace } from '../schema.ts'
import { audit } from '../users/audit.ts'
import { demandFreshSession } from '../users/step-up.ts'
import { currentUser, type Trx } from '../users/users.ts'
import { START, writePiece } from './document.ts'

/**
 * Everything that the platform holds about a person, without its secrets, as one JSON document. It is put down first and sent once all of it
 * is there, then goes again: an answer is whole, or it is refused.
 */
export async function exportAccount(ctx: AuthCtx, _input: unknown): Promise<Readable> {
  const { user, session } = await currentUser(ctx)
  demandFreshSession(user, session)
  const { storage } = ctx.deps.rt
  const key = `${ANSWERS_AT}${newId()}.json`
  await storage.put(key, Readable.from(write(ctx, user.id)), { contentType: 'application/json' }).catch((err) => {
    ctx.log.warn({ err }, 'an export was refused because a part of it could not be read')
    throw err instanceof DomainError ? err : new DomainError('export_unavailable', { details: { service: 'identity' }, cause: err })
  })
  await inTransaction(ctx.db, (trx: Trx) => audit(trx, ctx, user.id, 'account_exported'))
  const { body } = await storage.get(key)
  body.once('close', () =>
    storage
      .delete(key)
      .catch((err) => ctx.log.warn({ err, key }, 'the file of an export that was sent could not be deleted; the sweep deletes it')),
  )
  return body
}

const ANSWERS_AT = 'answers/'
const LEFT_AFTER_MS = 3_600_000

/** Answers of a process that ended before it had sent them. */
export async function sweepAnswers({ deps: { rt } }: AuthCtx): Promise<void> {
  for (const { key, modifiedAt } of await rt.storage.list(ANSWERS_AT))
    if (modifiedAt.getTime() < now() - LEFT_AFTER_MS) await rt.storage.delete(key)
}

async function* write(ctx: AuthCtx, userId: string) {
  for (let at = START; at.part; ) {
    const { text, next } = await persist(ctx, userId, at)
    yield text
    at = next
  }
}

/** A part that answered before is asked again for the same piece: a service that restarts costs the export no row. */
const AGAIN_AFTER_MS = [500, 2_000, 5_000]

async function persist(ctx: AuthCtx, userId: string, at: ExportPlace, tries = 0): ReturnType<typeof writePiece> {
  ctx.signal.throwIfAborted()
  try {
    return await writePiece(ctx, userId, at)
  } catch (err) {
    const waitMs = at.from && AGAIN_AFTER_MS[tries]
    if (!waitMs) throw err
    await setTimeout(waitMs, undefined, { signal: ctx.signal })
    return persist(ctx, userId, at, tries + 1)
  }
}
