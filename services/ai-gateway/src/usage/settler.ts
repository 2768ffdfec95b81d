import { completionFinished } from '@operon/contracts/ai-gateway'
import { aiUsageRecorded } from '@operon/contracts/usage'
import { newId } from '@operon/kit/ids'
import { settle } from '@operon/kit/meter'
import type { KitDb } from '@operon/kit/schema'
import type { Logger } from '@operon/kit/telemetry'
import { inTransaction, publishMany } from '@operon/kit/tx'
import type { Insertable, Kysely } from 'kysely'
import type { AiDb } from '../schema.ts'

export type Finished = Omit<Insertable<AiDb['ai_usage']>, 'id' | 'created_at'> & { reservationId: string; command: string }

const FLUSH_AFTER_MS = 5
const BATCH = 200

/**
 * Books finished answers off the hot path: many in one transaction. What is lost with the process was reserved before it began,
 * and settles as `unknown` at its estimate.
 */
export class Settler {
  #waiting: Finished[] = []
  #flushing: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  readonly #db: Kysely<AiDb & KitDb>
  readonly #log: Logger

  constructor(db: Kysely<AiDb & KitDb>, log: Logger) {
    this.#db = db
    this.#log = log
  }

  add(finished: Finished) {
    this.#waiting.push(finished)
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_AFTER_MS)
  }

  get size(): number {
    return this.#waiting.length
  }

  /** Resolves when all that waited is booked, or this try has failed and is due again. */
  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#flushing ??= this.#run().finally(() => {
      this.#flushing = null
    })
    return this.#flushing
  }

  async #run(): Promise<void> {
    while (this.#waiting.length) {
      const batch = this.#waiting.slice(0, BATCH)
      try {
        await book(this.#db, batch)
        this.#waiting.splice(0, batch.length)
      } catch (err) {
        this.#log.warn({ err, waiting: this.#waiting.length }, 'usage could not be booked; trying again')
        this.#timer ??= setTimeout(() => this.flush(), 1000)
        return
      }
    }
  }
}

async function book(db: Kysely<AiDb & KitDb>, batch: Finished[]) {
  await inTransaction(db, async (trx) => {
    const open = new Set(
      await settle(
        trx,
        aiUsageRecorded,
        batch.map(({ reservationId, cost_microusd }) => ({ id: reservationId, costMicrousd: cost_microusd })),
      ),
    )
    const fresh = batch.filter(({ reservationId }) => open.has(reservationId))
    if (fresh.length === 0) return
    await trx
      .insertInto('ai_usage')
      .values(fresh.map(({ reservationId: _r, command: _c, ...row }) => ({ id: newId(), ...row })))
      .execute()
    await publishMany(
      trx,
      completionFinished,
      fresh.map(
        ({
          user_id: userId,
          feature,
          command,
          model,
          answered_by,
          status,
          prompt_tokens,
          completion_tokens,
          cost_microusd,
          duration_ms,
        }) => ({
          userId,
          payload: { feature, command, model, answered_by, status, prompt_tokens, completion_tokens, cost_microusd, duration_ms },
        }),
      ),
    )
  })
}
