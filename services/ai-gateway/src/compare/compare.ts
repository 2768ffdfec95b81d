import type { aiCompare } from '@operon/contracts/ai-gateway/api'
import { comparisonFinished } from '@operon/contracts/ai-gateway/events'
import type { Input } from '@operon/contracts/contract'
import { errors } from '@operon/contracts/messages'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction, publish } from '@operon/kit/tx'
import type { FastifyReply } from 'fastify'
import type { Expression, SqlBool } from 'kysely'
import { type AnswerDeps, ask, askerOf, costsOf, inWords } from '../completions/answer.ts'
import type { Running } from '../completions/running.ts'
import { openStream } from '../completions/sse.ts'
import { isRecorded, recordedComparison } from '../demo/recorded.ts'
import { chainOf, nameOf } from '../registry/models.ts'
import type { AiDb, Lane } from '../schema.ts'
import { storable } from '../usage/settler.ts'

export type CompareDeps = AnswerDeps & { running: Running }
export const laneId = (comparisonId: string, lane: number) => `${comparisonId}:${lane}`

/** Each lane is an answer of its own: one that fails or is slow holds up no other. All their prompts are reserved at once, or none. */
export async function compare(deps: CompareDeps, ctx: Ctx<AiDb>, { prompt, models }: Input<typeof aiCompare>, reply: FastifyReply) {
  const userId = askerOf(ctx)
  if (isRecorded(deps, ctx, models)) return recordedComparison({ prompt, models }, reply)
  const unknown = models.find((model) => !chainOf(model))
  if (unknown) throw new DomainError('model_unknown', { details: { model: unknown } })
  const body = { messages: [{ role: 'user', content: prompt }] }
  const holdMs = deps.config.AI_ANSWER_MS + 60_000
  const asks = models.map((model) => ({ userId, feature: 'lab', holdMs, costs: costsOf(deps, { model, body }) }))
  const reservations = await deps.reserver.reserveMany(asks).catch((error) => {
    throw error instanceof DomainError ? inWords({ body }, error) : error
  })
  const comparisonId = newId()
  const stream = openStream(reply)
  try {
    await stream.send('start', { comparison_id: comparisonId, models })
    const lanes = await Promise.all(models.map((model, lane) => runLane(lane, model)))
    await keep(lanes)
    await stream.send('end', { comparison_id: comparisonId, answered: lanes.filter((lane) => lane.state === 'complete').length })
  } finally {
    // Also of one that could not be kept: without its `end` the reader knows that it was not.
    stream.end()
  }

  function keep(lanes: Lane[]) {
    return inTransaction(ctx.db, async (trx) => {
      await trx
        .insertInto('ai_comparisons')
        .values({ id: comparisonId, user_id: userId, prompt, lanes: JSON.stringify(lanes), vote: null })
        .execute()
      await publish(trx, comparisonFinished, userId, {
        comparison_id: comparisonId,
        command: storable(`Compared: ${prompt}`),
        models: models.map(nameOf),
        status: statusOf(lanes),
      })
    })
  }

  async function runLane(lane: number, model: string): Promise<Lane> {
    const stop = deps.running.begin(userId, laneId(comparisonId, lane))
    try {
      const answer = await ask(deps, {
        userId,
        feature: 'lab',
        model,
        body,
        command: '',
        stop: stop.signal,
        reservation: reservations[lane]!,
      })
      const answered_by = answer.target.upstreamModel
      let said = false
      for await (const pieces of answer.pieces()) {
        const text = pieces.map((piece) => piece.text).join('')
        if (!said && text) await stream.send('first', { lane, model, answered_by, ms: answer.firstMs, sandbox: answer.target.sandbox })
        said ||= text !== ''
        if (text) await stream.send('delta', { lane, text })
      }
      const { prompt_tokens, completion_tokens, cost_microusd } = answer.usage
      const cut = answer.outcome === 'cut'
      if (cut) await stream.send('error', { lane, code: 'answer_cut', message: answer.problem, content: answer.content })
      else
        await stream.send('done', {
          lane,
          stopped: answer.outcome === 'stopped',
          ms: answer.ms,
          usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, cost_microusd },
        })
      const state = cut ? 'cut' : answer.outcome === 'stopped' ? 'stopped' : 'complete'
      return {
        model,
        answered_by,
        sandbox: answer.target.sandbox,
        content: answer.content,
        state,
        first_ms: answer.firstMs,
        ms: answer.ms,
        prompt_tokens,
        completion_tokens,
        cost_microusd,
        error: answer.problem,
      }
    } catch (error) {
      const stopped = error instanceof DomainError && error.code === 'answer_stopped'
      const usage = (stopped && (error.details as { usage?: typeof nothingUsed } | undefined)?.usage) || nothingUsed
      if (stopped) await stream.send('done', { lane, stopped, ms: 0, usage })
      const { code, message } = error instanceof DomainError ? error : { code: 'internal', message: errors.internal.message }
      if (!(error instanceof DomainError)) ctx.log.error({ err: error }, 'an answer of a comparison failed')
      if (!stopped) await stream.send('error', { lane, code, message, content: '' })
      return {
        model,
        answered_by: null,
        sandbox: false,
        content: '',
        state: stopped ? 'stopped' : 'failed',
        first_ms: null,
        ms: null,
        prompt_tokens: usage.prompt_tokens,
        completion_tokens: 0,
        cost_microusd: usage.cost_microusd,
        error: stopped ? null : message,
      }
    } finally {
      deps.running.end(laneId(comparisonId, lane))
    }
  }
}

/** As good as its best answer. */
function statusOf(lanes: Lane[]) {
  if (lanes.some(({ state }) => state === 'complete')) return 'completed'
  return (['cut', 'stopped'] as const).find((state) => lanes.some((lane) => lane.state === state)) ?? 'failed'
}

const nothingUsed = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost_microusd: 0 }

export async function vote(ctx: Ctx<AiDb>, { comparison_id, lane }: { comparison_id: string; lane: number }) {
  const voted = await ctx.db
    .updateTable('ai_comparisons')
    .set({ vote: lane })
    .where('id', '=', comparison_id)
    .where('user_id', '=', signedIn(ctx).id)
    .returning('id')
    .executeTakeFirst()
  if (!voted) throw new DomainError('not_found')
  return { comparison_id, lane }
}

export async function deleteComparisons(ctx: Ctx<AiDb>, { where }: { where: Expression<SqlBool> }) {
  return ctx.db.deleteFrom('ai_comparisons').where('user_id', '=', signedIn(ctx).id).where(where).returningAll().execute() as Promise<
    Record<string, unknown>[]
  >
}
