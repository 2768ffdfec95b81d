import { completionFinished } from '@operon/contracts/ai-gateway/events'
import type { Payload } from '@operon/contracts/contract'
import { aiUsageRecorded } from '@operon/contracts/usage'
import { newId } from '@operon/kit/ids'
import type { ByTier, Reservation } from '@operon/kit/meter'
import type { KitDb } from '@operon/kit/schema'
import { settleWith, settlingWith } from '@operon/kit/settle'
import type { Logger } from '@operon/kit/telemetry'
import type { Insertable, Kysely } from 'kysely'
import type { AiDb } from '../schema.ts'

export type Finished = Omit<Insertable<AiDb['ai_usage']>, 'id' | 'created_at'> & {
  reservation: Reservation
  command: string
  conversation_id: string | null
  /** All that it holds unless said. */
  prompts?: number | undefined
}

const EVERY_MS = 100
const AGAIN_MS = 1000
const BATCH = 250

/**
 * Books finished answers off the hot path: many in one statement. Answers lost with the process were reserved before they began,
 * and settles as `unknown` at its estimate.
 */
export class Settler {
  #waiting: Finished[] = []
  #booking: Promise<boolean> | null = null
  #timer: NodeJS.Timeout | null = null
  readonly #db: Kysely<AiDb & KitDb>
  readonly #budgets: ByTier | null
  readonly #log: Logger
  readonly #onBooked: (batch: Finished[]) => void

  constructor(db: Kysely<AiDb & KitDb>, budgets: ByTier | null, log: Logger, onBooked: (batch: Finished[]) => void = () => {}) {
    this.#db = db
    this.#budgets = budgets
    this.#log = log
    this.#onBooked = onBooked
  }

  add(finished: Finished) {
    this.#waiting.push(finished)
    this.#bookIn(EVERY_MS)
  }

  /** Resolves when all that waited is booked, or a try has failed and is due again. */
  async flush(): Promise<void> {
    while (this.#waiting.length && (await this.#bookBatch()));
  }

  #bookIn(ms: number) {
    this.#timer ??= setTimeout(async () => {
      const booked = await this.#bookBatch()
      this.#timer = null
      if (this.#waiting.length) this.#bookIn(!booked ? AGAIN_MS : this.#waiting.length < BATCH ? EVERY_MS : 0)
    }, ms)
  }

  /** One batch at a time; whoever asks meanwhile waits for that one. */
  #bookBatch(): Promise<boolean> {
    this.#booking ??= this.#tryBatch().finally(() => {
      this.#booking = null
    })
    return this.#booking
  }

  async #tryBatch(): Promise<boolean> {
    const batch = this.#waiting.slice(0, BATCH)
    try {
      if (batch.length) await book(this.#db, this.#budgets, batch)
      this.#onBooked(batch)
      this.#waiting.splice(0, batch.length)
      return true
    } catch (err) {
      this.#log.warn({ err, waiting: this.#waiting.length }, 'usage could not be booked; trying again')
      return false
    }
  }
}

/** The reservation turned into use, the answer's row and both events: one statement, so all of it or nothing. */
const BOOK = settlingWith(
  'ai_book',
  `answers as (
    select a.* from closed, jsonb_to_record(closed.row) as a (
      usage_id uuid, event_id uuid, user_id uuid, key_id uuid, feature text, model text, answered_by text, status text,
      prompt_tokens int, completion_tokens int, counted boolean, cost_microusd int, duration_ms int, payload jsonb
    )
  ),
  booked as (
    insert into ai_usage
      (id, user_id, key_id, feature, model, answered_by, status, prompt_tokens, completion_tokens, counted, cost_microusd, duration_ms)
    select
      usage_id, user_id, key_id, feature, model, answered_by, status, prompt_tokens, completion_tokens, counted, cost_microusd, duration_ms
    from answers
  ),
  finished as (
    insert into outbox (id, kind, name, payload, trace)
    select (array_agg(event_id))[1], 'event', '${completionFinished.name}', jsonb_agg(
        jsonb_build_object('id', event_id, 'name', '${completionFinished.name}', 'user_id', user_id, 'payload', payload)), $5
    from answers having count(*) > 0
  )`,
)

async function book(db: Kysely<AiDb & KitDb>, budgets: ByTier | null, batch: Finished[]) {
  const bookings = batch.map(({ reservation: hold, command: said, prompts: amount, ...answer }) => {
    const { user_id: _u, key_id: _k, counted: _c, ...told } = answer
    const payload: Payload<typeof completionFinished> = { ...told, command: storable(said) }
    return { hold, amount, costMicrousd: answer.cost_microusd, row: { usage_id: newId(), event_id: newId(), ...answer, payload } }
  })
  await settleWith(db, BOOK, aiUsageRecorded, bookings, budgets)
}

/** One line, without what PostgreSQL cannot hold: one such answer must not keep the others of its batch from being booked. */
export const storable = (text: string) => text.replaceAll('\0', '').toWellFormed().replace(/\s+/g, ' ').trim()
