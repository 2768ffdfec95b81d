import { createHash } from 'node:crypto'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Db, Trx } from './deps.ts'
import { isRefusal } from './stripe-errors.ts'

/**
 * `request` is what is wanted; `fixed` is what was made of it at the first try and stays so for the others. `asked` is the caller's own
 * key, where one that comes with another request must not get that as well.
 */
type Intention<Fixed = object> = {
  userId: string
  kind: string
  request: Record<string, unknown>
  fixed?: Fixed
  asked?: string | undefined
}
/** `replaced` are the answers to calls whose place this one took: they are to be taken back. */
export type Call<Fixed = object> = {
  id: string
  /** Begun before, by a try that has not ended yet or whose answer was lost. */
  isAgain: boolean
  fixed: Fixed
  reply: Record<string, unknown> | null
  replaced: Record<string, unknown>[]
}

// Stripe forgets a key after a day; what is older is begun anew.
const KEYS_LIVE = sql`now() - interval '23 hours'`

/**
 * Writes down what is about to be asked of the provider, and under which key, before it is asked. Whoever asks for the same while it is
 * open, or after a crash, gets the same key; another request of that kind takes its place.
 */
export async function beginCall<Fixed extends object>(db: Db, intention: Intention<Fixed>): Promise<Call<Fixed>> {
  const { userId, kind, request, fixed = {} as Fixed, asked } = intention
  const hash = hashOf(request)
  const replaced: Call['replaced'] = []
  for (;;) {
    const made = await db
      .insertInto('provider_calls')
      .values({
        id: newId(),
        user_id: userId,
        kind,
        request_hash: hash,
        request: JSON.stringify({ ...request, ...fixed, ...(asked && { asked }) }),
        reply: null,
      })
      .onConflict((conflict) => conflict.columns(['user_id', 'kind']).where('state', '=', 'open').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (made) return { id: made.id, isAgain: false, fixed, reply: null, replaced }
    const open = await db
      .selectFrom('provider_calls')
      .select(['id', 'request', 'request_hash', 'reply', sql<boolean>`created_at > ${KEYS_LIVE}`.as('fresh')])
      .where('user_id', '=', userId)
      .where('kind', '=', kind)
      .where('state', '=', 'open')
      .executeTakeFirst()
    if (open?.fresh && open.request_hash === hash)
      return { id: open.id, isAgain: true, fixed: open.request as Fixed, reply: open.reply as Call['reply'], replaced }
    if (!open) continue
    if (open.fresh && asked && (open.request as { asked?: string }).asked === asked)
      throw new DomainError('idempotency_mismatch', { message: askedOtherwise })
    // The answer may have come since we looked: what counts is what the row holds as it ends.
    const ended = await endCall(db, open.id, 'refused')
    if (ended?.reply) replaced.push(ended.reply as Record<string, unknown>)
  }
}

const hashOf = (request: object) => createHash('sha256').update(JSON.stringify(request)).digest('hex')

/** The first try of the same call fixed this, where that has not ended. */
export async function begunCall<Fixed extends object>(
  db: Db,
  { userId, kind, request }: Pick<Intention, 'userId' | 'kind' | 'request'>,
): Promise<Fixed | null> {
  const open = await db
    .selectFrom('provider_calls')
    .select('request')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('state', '=', 'open')
    .where('request_hash', '=', hashOf(request))
    .where('created_at', '>', sql<Date>`${KEYS_LIVE}`)
    .executeTakeFirst()
  return (open?.request as Fixed | undefined) ?? null
}

const askedOtherwise =
  'Another amount was asked for here before, and its answer was lost: it may have gone through. Ask for that amount again.'

/** Keeps the answer while the call stays open: a checkout that waits for its person. False when another has taken its place meanwhile. */
export async function keepReply(db: Db, id: string, reply: Record<string, unknown>): Promise<boolean> {
  const kept = await db
    .updateTable('provider_calls')
    .set({ reply: JSON.stringify(reply) })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .returning('id')
    .executeTakeFirst()
  return kept !== undefined
}

export async function endCall(db: Db, id: string, state: 'done' | 'refused') {
  return db
    .updateTable('provider_calls')
    .set({ state })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .returning('reply')
    .executeTakeFirst()
}

/**
 * One call whose effect is wanted once. What the provider refuses is over; what it left unanswered stays open under its key. `keep` writes down
 * what it did together with its end: until that is written, whoever asks again has to get the same effect and not another one.
 */
export async function callOnce<T, Fixed extends object>(
  db: Db,
  intention: Intention<Fixed>,
  run: (key: string, fixed: Fixed, isAgain: boolean) => Promise<T>,
  keep: (trx: Trx, result: T) => Promise<unknown> = async () => {},
): Promise<T> {
  const { id, fixed, isAgain } = await beginCall(db, intention)
  const result = await run(id, fixed, isAgain).catch(async (error) => {
    if (isRefusal(error)) await endCall(db, id, 'refused')
    throw error
  })
  await inTransaction(db, async (trx) => {
    await keep(trx, result)
    await endCall(trx, id, 'done')
  })
  return result
}

export async function endCheckout(trx: Trx, sessionId: string, state: 'done' | 'refused') {
  await trx
    .updateTable('provider_calls')
    .set({ state })
    .where('kind', '=', 'checkout')
    .where('state', '=', 'open')
    .where(sql`reply ->> 'id'`, '=', sessionId)
    .execute()
}
