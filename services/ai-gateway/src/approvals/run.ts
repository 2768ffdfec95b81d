import { now } from '@operon/kit/clock'
import type { Ctx, UserActor } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { asDomainError } from '@operon/kit/problems'
import type { Runtime } from '@operon/kit/service'
import { type Selectable, sql } from 'kysely'
import type { AiDb, Step } from '../schema.ts'
import { capabilities } from './offered.ts'
import { filled } from './steps.ts'

type Row = Selectable<AiDb['ai_approvals']>
const BEAT_MS = 5_000
/** A text of a model takes so long at most. */
export const STEP_MS = 120_000

/** Runs approved steps in order, each once: its key is the approval's with the step's number. */
export class Runner {
  readonly #rt: Pick<Runtime<AiDb>, 'db' | 'call' | 'log'>
  readonly #running = new Set<Promise<void>>()

  constructor(rt: Pick<Runtime<AiDb>, 'db' | 'call' | 'log'>) {
    this.#rt = rt
  }

  /** Settles when the steps have ended; never rejects. */
  start(row: Row, actor: UserActor, requestId: string): Promise<void> {
    const run = this.#run(row, actor, requestId)
      .catch((err: unknown) =>
        this.#rt.log.error({ err, approval: row.id, userId: row.user_id }, 'an approval stopped and is closed as unknown by the sweep'),
      )
      .finally(() => this.#running.delete(run))
    this.#running.add(run)
    return run
  }

  /** Before the process ends: what runs is waited for. */
  async finish(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #run(row: Row, actor: UserActor, requestId: string): Promise<void> {
    const beat = setInterval(() => void this.#keep(row, {}).catch(() => {}), BEAT_MS)
    const steps = row.steps.map((step) => ({ ...step }))
    try {
      for (const [at, step] of steps.entries()) {
        step.state = 'running'
        // The step is marked before it runs: a process that dies in it leaves the mark.
        if (!(await this.#keep(row, { steps }))) return
        const failed = await this.#step(row, steps, at, actor, requestId)
        if (failed) for (const later of steps.slice(at + 1)) later.state = 'skipped'
        const last = failed || at === steps.length - 1
        const state = failed ? 'failed' : 'done'
        if (!(await this.#keep(row, { steps, ...(last && { state, ended_at: sql<Date>`now()` as never }) })) || last) return
      }
    } finally {
      clearInterval(beat)
    }
  }

  async #step(row: Row, steps: Step[], at: number, actor: UserActor, requestId: string): Promise<boolean> {
    const step = steps[at]!
    try {
      const { contract } = capabilities().get(step.action)!
      const input = filled(step.input, steps)
      step.reply = await this.#rt.call(contract, input, {
        actor,
        requestId,
        ...(contract.action.effect !== 'reads' && { idempotencyKey: `${row.id}:${at + 1}` }),
        deadlineMs: STEP_MS,
      })
      step.input = input
      step.state = 'done'
      const { undo } = contract.action
      if (undo) step.undo_until = new Date(now() + undo.seconds * 1000).toISOString()
      return false
    } catch (error) {
      const { code, message } = asDomainError(error)
      // It may still be at work, or have done it: nobody knows.
      step.state = code === 'unavailable' || code === 'idempotency_running' ? 'unknown' : 'failed'
      step.error = message
      return true
    }
  }

  async undo(ctx: Ctx<AiDb>, row: Row, number: number, actor: UserActor): Promise<void> {
    const step = row.steps[number - 1]
    const back = step && capabilities().get(step.action)?.contract.action.undo
    if (step?.state === 'undone') return
    if (!step || !back || step.state !== 'done' || Date.parse(step.undo_until ?? '') <= now()) throw new DomainError('undo_closed')
    const known = { ...step.input, ...(step.reply as object) }
    await this.#rt.call(back.contract, known as never, {
      actor,
      requestId: ctx.requestId,
      idempotencyKey: `${row.id}:${number}:undo`,
    })
    await ctx.db
      .updateTable('ai_approvals')
      .set({ steps: sql`jsonb_set(steps, ${`{${number - 1},state}`}::text[], '"undone"')` as never })
      .where('id', '=', row.id)
      .where('user_id', '=', actor.id)
      .execute()
  }

  /** False where it was closed meanwhile: nothing more of it runs. */
  async #keep(row: Row, { steps, ...rest }: Partial<Pick<Row, 'state' | 'ended_at'>> & { steps?: Step[] }): Promise<boolean> {
    const { numUpdatedRows } = await this.#rt.db
      .updateTable('ai_approvals')
      .set({ beat_at: sql<Date>`now()`, ...(steps && { steps: JSON.stringify(steps) }), ...rest })
      .where('id', '=', row.id)
      .where('state', '=', 'running')
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }
}
