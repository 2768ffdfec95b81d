import { completionFinished } from '@operon/contracts/ai-gateway'
import type { Payload } from '@operon/contracts/contract'
import { aiUsageRecorded } from '@operon/contracts/usage'
import { newId } from '@operon/kit/ids'
import { settleWith, settlingWith } from '@operon/kit/meter'
import type { KitDb } from '@operon/kit/schema'
import type { Logger } from '@operon/kit/telemetry'
import type { Insertable, Kysely } from 'kysely'
import type { AiDb } from '../schema.ts'

export type Finished = Omit<Insertable<AiDb['ai_usage']>, 'id' | 'created_at'> & { reservationId: string; command: string }

const FLUSH_AFTER_MS = 20
const BATCH = 100

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

/** The reservation turned into use, the answer's row and both events: one statement, so all of it or nothing. */
const BOOK = settlingWith(
  'ai_book',
  `answers as (
    select a.* from closed join jsonb_to_recordset($7::jsonb) as a (
      id uuid, usage_id uuid, event_id uuid, user_id uuid, key_id uuid, feature text, model text, answered_by text, status text,
      prompt_tokens int, completion_tokens int, counted boolean, cost_microusd int, duration_ms int, payload jsonb
    ) using (id)
  ),
  booked as (
    insert into ai_usage
      (id, user_id, key_id, feature, model, answered_by, status, prompt_tokens, completion_tokens, counted, cost_microusd, duration_ms)
    select
      usage_id, user_id, key_id, feature, model, answered_by, status, prompt_tokens, completion_tokens, counted, cost_microusd, duration_ms
    from answers
  ),
  finished as (
    insert into outbox (id, kind, name, user_id, payload, trace)
    select event_id, 'event', '${completionFinished.name}', user_id, payload, $5 from answers
  )`,
)

async function book(db: Kysely<AiDb & KitDb>, batch: Finished[]) {
  const settlements = batch.map(({ reservationId: id, cost_microusd }) => ({ id, costMicrousd: cost_microusd }))
  const answers = batch.map(({ reservationId: id, command: said, ...row }) => {
    const { user_id: _u, key_id: _k, counted: _c, ...told } = row
    const payload: Payload<typeof completionFinished> = { ...told, command: storable(said) }
    return { id, usage_id: newId(), event_id: newId(), ...row, payload }
  })
  await settleWith(db, BOOK, aiUsageRecorded, settlements, answers)
}

/** What a person typed may hold what PostgreSQL cannot: one such answer must not keep the others of its batch from being booked. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed()
