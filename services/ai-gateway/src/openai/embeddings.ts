import { setTimeout as wait } from 'node:timers/promises'
import type { createEmbeddings } from '@operon/contracts/ai-gateway/openai'
import type { Input, Output } from '@operon/contracts/contract'
import { modelLimitsOf, tiers } from '@operon/contracts/plans'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { type ByTier, NEVER } from '@operon/kit/meter'
import { outcomeOf } from '@operon/kit/providers'
import { release } from '@operon/kit/settle'
import { blame } from '@operon/kit/telemetry'
import { z } from 'zod'
import { type AnswerDeps, askerOf } from '../completions/answer.ts'
import { spendKey } from '../keys/limit.ts'
import { embedders } from '../registry/embedders.ts'
import { carefulTokens, costMicrousd, type ModelAlias } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'
import { isConnectionTrouble, NotAnswering, refusal } from '../upstream/open.ts'
import type { Target } from '../upstream/providers.ts'
import { inWordsForPrograms } from './completions.ts'
import { refuse } from './parameters.ts'

type Asked = Input<typeof createEmbeddings>
type Reply = Output<typeof createEmbeddings>
type Wanted = Pick<Asked, 'input'> & { encoding_format?: unknown; dimensions?: unknown }

/** Vectors of up to 512 texts. Paid as one prompt with what its tokens cost; nothing is kept of the texts. */
export async function embeddings(deps: AnswerDeps, ctx: Ctx<AiDb>, { model: name, input, ...given }: Asked): Promise<Reply> {
  const userId = askerOf(ctx)
  const actor = signedIn(ctx)
  if (actor.key && !actor.key.scopes.includes('chat')) throw new DomainError('key_scope')
  const wanted = checked(input, given)
  const model = embedders.find(({ id }) => id === name)
  if (!model) return inWordsForPrograms(new DomainError('model_unknown'), name)
  const real = deps.providers.real(model)
  await spendKey(ctx, actor)
  const startedAt = performance.now()
  const holdMs = 2 * deps.config.AI_FIRST_BYTE_MS + 60_000
  const reservation = await deps.reserver.reserve({ userId, feature: 'api', holdMs, costs: costsOf(real, wanted.input) })
  const made = await ask(deps, userId, model, wanted).catch(async (error) => {
    await release(deps.db, reservation)
    return inWordsForPrograms(error, name)
  })
  const counted = made.usage.prompt_tokens > 0
  const prompt_tokens = counted ? made.usage.prompt_tokens : tokensIn(wanted.input)
  deps.settler.add({
    ...{ reservation, user_id: userId, key_id: actor.key?.id ?? null, feature: 'api', conversation_id: null },
    ...{ command: `API embeddings with ${name}`, model: name, answered_by: real.upstream, status: 'completed' },
    ...{ prompt_tokens, completion_tokens: 0, counted, cost_microusd: costMicrousd(real, prompt_tokens, 0) },
    duration_ms: Math.round(performance.now() - startedAt),
  })
  return { ...made, model: real.upstream, usage: { prompt_tokens, total_tokens: prompt_tokens } }
}

/** Only these go on to a provider. */
function checked(input: Asked['input'], more: Record<string, unknown>): Wanted {
  const known: Wanted = { input }
  for (const [param, value] of Object.entries(more)) {
    if (value === null || value === undefined || param === 'user') continue
    if (param === 'encoding_format' && (value === 'float' || value === 'base64')) known.encoding_format = value
    else if (param === 'encoding_format') refuse(param, 'only "float" or "base64" is supported')
    else if (param !== 'dimensions') refuse(param, 'this parameter is not supported')
    else if (Number.isInteger(value) && Number(value) > 0 && Number(value) <= 3072) known.dimensions = value
    else refuse(param, 'a whole number from 1 to 3072 is needed')
  }
  return known
}

/** No tokenizer makes more than one token of a byte. */
function costsOf(model: ModelAlias, input: Asked['input']): ByTier {
  const json = JSON.stringify(input)
  const most = costMicrousd(model, Buffer.byteLength(json), 0)
  return Object.fromEntries(tiers.map((tier) => [tier, json.length <= modelLimitsOf(tier).inputCharacters ? most : NEVER])) as ByTier
}

const tokensIn = (input: Asked['input']): number => {
  const all = [input].flat(2)
  const words = all.filter((each) => typeof each === 'string')
  return all.length - words.length + words.reduce((sum, each) => sum + carefulTokens(each), 0)
}

const Made = z.object({
  object: z.literal('list').default('list'),
  data: z.array(
    z.object({
      object: z.literal('embedding').default('embedding'),
      index: z.int().nonnegative(),
      embedding: z.union([z.string(), z.array(z.number())]),
    }),
  ),
  usage: z.object({ prompt_tokens: z.int().nonnegative() }).default({ prompt_tokens: 0 }),
})
type Made = z.output<typeof Made>

/** Twice at most: the same texts give the same vectors. */
async function ask(deps: AnswerDeps, userId: string, model: ModelAlias, wanted: Wanted): Promise<Made> {
  const target = await deps.providers.target(model)
  const { provider } = target
  let problem: Error = new Error('left alone after repeated failures')
  for (let attempt = 0; attempt < 2 && !target.circuit.isOpen; attempt++) {
    const askedAt = performance.now()
    try {
      const made = await askOnce(deps, target, userId, wanted)
      target.circuit.succeeded()
      deps.watch.saw(provider, 'ok', askedAt)
      return made
    } catch (error) {
      if (error instanceof DomainError) {
        deps.watch.saw(provider, 'refused', askedAt)
        throw blame(error, provider)
      }
      target.circuit.failed()
      problem = error as Error
      const seen =
        error instanceof NotAnswering
          ? error
          : new NotAnswering(problem.message, { again: isConnectionTrouble(error), outcome: outcomeOf(error) })
      deps.watch.saw(provider, seen.outcome, askedAt)
      deps.log.warn(
        { provider, errorCode: `provider_${seen.outcome}`, model: target.upstreamModel, problem: seen.message },
        'a provider did not answer',
      )
      if (!seen.again) break
      await wait(50 + Math.random() * 100)
    }
  }
  throw new DomainError('model_unavailable', { cause: blame(problem, provider) })
}

/** 512 vectors of 3,072 numbers in figures. */
const MOST_BYTES = 48 * 1024 * 1024

async function askOnce({ config }: AnswerDeps, target: Target, userId: string, wanted: Wanted): Promise<Made> {
  const { statusCode, headers, body } = await target.pool.request({
    method: 'POST',
    path: target.path.replace(/\/chat\/completions$/, '/embeddings'),
    headers: {
      'content-type': 'application/json',
      authorization: target.authorization,
      ...(target.sandbox && { 'x-sandbox-account': userId }),
    },
    body: JSON.stringify({ ...wanted, model: target.upstreamModel }),
    signal: AbortSignal.timeout(config.AI_FIRST_BYTE_MS),
  })
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += (piece as Buffer).length
    if (bytes > MOST_BYTES) throw new NotAnswering('answered with too much')
    pieces.push(piece as Buffer)
  }
  const said = Buffer.concat(pieces).toString('utf8')
  if (statusCode !== 200) throw refusal({ status: statusCode, headers }, said)
  const made = Made.safeParse(parsed(said))
  const asked = Array.isArray(wanted.input) && typeof wanted.input[0] !== 'number' ? wanted.input.length : 1
  if (!made.success || made.data.data.length !== asked) throw new NotAnswering('answered with something else than vectors', { again: true })
  return made.data
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said)
  } catch {
    return null
  }
}
