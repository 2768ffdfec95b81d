import { type Args, type Endpoint, type Input, type Output, type Reply, time } from '@operon/contracts/contract'
import { Preview } from '@operon/contracts/preview'
import type { ServiceName } from '@operon/contracts/services'
import { z } from 'zod'
import { checkAccess } from './access.ts'
import type { TokenVerifier } from './auth.ts'
import type { Bus } from './bus/bus.ts'
import { now } from './clock.ts'
import { type Actor, type Ctx, type Grant, userIdOf } from './context.ts'
import { DomainError } from './errors.ts'
import { once, twoPhase } from './idempotency.ts'
import { newId } from './ids.ts'
import { checkScope, mayPropose } from './keys.ts'
import type { Limits } from './limits.ts'
import { type Previewed, previewOf } from './previews.ts'
import { asDomainError, parsed } from './problems.ts'
import { signRequest, verifyRequest } from './requests.ts'
import { currentTrace, type Logger } from './telemetry.ts'
import { inSpan } from './tracing.ts'
import { stayInside } from './trial.ts'
import type { Vault } from './vault.ts'

// Capabilities over the bus: the same function, admitted and run as over HTTP.

const MAX_INPUT_BYTES = 512 * 1024
// Below what the broker carries.
const MAX_REPLY_BYTES = 900 * 1024
const ANSWERS_WITHIN_MS = 15_000

export type Handler<E extends Endpoint> = (ctx: Ctx<any>, input: Input<E>) => Promise<Output<E>>
/** A function as its service runs it, whichever way it was asked. */
export type Served = { contract: Endpoint; run(ctx: Ctx<any>, input: any, key?: string): Promise<unknown> }

/** With a key the effect happens once and its answer is given again; a function that takes none ignores it. */
export const served = <E extends Endpoint>(contract: E, handler: Handler<E>): Served => ({
  contract,
  run: (ctx, input, key) => {
    if (!key || !contract.idempotent) return handler(ctx, input)
    const call = { scope: contract.path, key, input }
    if (contract.idempotent === 'two-phase') return twoPhase(ctx, { ...call, run: () => handler(keyed(ctx, key), input) })
    // A reply that the contract refuses takes the effect with it.
    return once(ctx, { ...call, run: async (within) => contract.reply.parse(await handler(within, input)) })
  },
})

/** Not a copy: the signal of a context is made for those who ask for it. */
const keyed = (ctx: Ctx<any>, idempotencyKey: string): Ctx<any> => Object.assign(Object.create(ctx), { idempotencyKey })

export type Calling = {
  /** In whose name. Its rights are checked where the function runs. */
  actor: Actor
  /** The effect happens once for each key and person. Needed by everything that does not only read. */
  idempotencyKey?: string
  /** The permission of a run or an approval to act in the actor's name; without it the actor's session must still be valid. */
  grant?: Grant
  deadlineMs?: number
  /** The action that this call previews: whoever may propose it may read that much. */
  previews?: Endpoint
  /** Of the call that asks, so that one id finds both in the logs. */
  requestId?: string
}

export const Asked = z.object({
  name: z.string(),
  input: z.unknown(),
  key: z.string().max(200).optional(),
  grant: z.object({ id: z.uuid(), userId: z.uuid(), actions: z.array(z.string()).readonly(), until: time.nullable() }).optional(),
  request_id: z.string().max(200),
  deadline_ms: z.number().positive(),
  /** Asks for its preview; nothing is done. */
  preview: z.literal(true).optional(),
  /** The action whose preview function this is. */
  previews: z.string().optional(),
})
type Asked = z.output<typeof Asked>

const subjectOf = (service: string) => `${service}.call`
export const nameOf = ({ path }: Pick<Endpoint, 'path'>) => path.slice(path.lastIndexOf('/') + 1)

type Caller = { bus: Bus; vault: Vault; service: string }

/** Asks the service that owns a capability to run it. */
export async function callOver<E extends Endpoint>(by: Caller, contract: E, given: Args<E>, calling: Calling): Promise<Reply<E>> {
  if (!contract.action) throw new Error(`${contract.path} is no capability`)
  if (contract.action.effect !== 'reads' && !calling.idempotencyKey) throw new Error(`${nameOf(contract)} needs an idempotency key`)
  return contract.reply.parse(await ask(by, contract, given, calling)) as Reply<E>
}

/** Asks it what would come of a call. No key goes along, so that a version that knows no previews refuses it. */
export async function previewOver<E extends Endpoint>(
  by: Caller,
  contract: E,
  given: Args<E>,
  calling: Pick<Calling, 'actor'>,
): Promise<Preview> {
  return Preview.parse(await ask(by, contract, given, { ...calling, preview: true }))
}

async function ask<E extends Endpoint>(
  { bus, vault, service }: Caller,
  contract: E,
  given: Args<E>,
  { actor, idempotencyKey, grant, deadlineMs = ANSWERS_WITHIN_MS, requestId = newId(), preview, previews }: Calling & { preview?: true },
): Promise<unknown> {
  stayInside('another service')
  const input = contract.body ? parsed(contract.body, given) : {}
  if (Buffer.byteLength(JSON.stringify(input ?? null)) > MAX_INPUT_BYTES) throw new DomainError('too_large')
  const { ownerOf } = await import('@operon/contracts/registry')
  const subject = subjectOf(ownerOf(contract))
  const asked = {
    name: nameOf(contract),
    input,
    key: idempotencyKey,
    grant,
    request_id: requestId,
    deadline_ms: deadlineMs,
    ...(preview && { preview }),
    ...(previews && { previews: nameOf(previews) }),
  } satisfies Asked
  return inSpan({ service, kind: 'client', name: `call ${asked.name}`, parent: currentTrace() }, async () => {
    // As it arrives, so that the signature is over the same text.
    const sent = JSON.parse(JSON.stringify(asked))
    return bus.request(subject, signRequest(vault, subject, sent, actor, currentTrace()), deadlineMs)
  })
}

type Answering = {
  service: ServiceName
  bus: Bus
  vault: Vault
  verifier: TokenVerifier
  limits: Limits
  log: Logger
  calls: ReadonlyMap<string, Served>
  previewed: Previewed
  context(actor: Actor): Ctx<any>
}

/** Answers for the capabilities of a service: right, scope, rate, input, function and reply, in the order of HTTP. */
export function answerCalls({ service, bus, vault, verifier, limits, log, calls, previewed, context }: Answering): void {
  const subject = subjectOf(service)
  bus.reply(subject, async (signed) => {
    const { actor, input, trace } = verifyRequest(vault, subject, signed)
    const asked = Asked.parse(input)
    const about = { requestId: asked.request_id, tenant: userIdOf(actor) }
    return inSpan({ service, kind: 'server', name: `call ${asked.name}`, parent: trace, about }, () =>
      run(asked, actor).catch((thrown: unknown) => {
        const error = asDomainError(thrown)
        const told = { err: error.cause ?? error, call: asked.name, errorCode: error.code }
        if (error.code === 'internal') log.error(told, 'a call over the bus failed unexpectedly')
        else if (error.status >= 500) log.warn(told, 'a call over the bus could not be served')
        throw error
      }),
    )
  })

  async function run({ name, input, key, grant, request_id, deadline_ms, preview, previews }: Asked, actor: Actor): Promise<unknown> {
    const known = calls.get(name)
    if (!known) throw new DomainError('not_found', { message: `There is no capability ${name} here.` })
    const { contract } = known
    if (Buffer.byteLength(JSON.stringify(input ?? null)) > MAX_INPUT_BYTES) throw new DomainError('too_large')
    if (contract.action!.effect !== 'reads' && !key && !preview)
      throw new DomainError('invalid', { message: 'This needs an idempotency key.' })
    if (grant) checkGrant(grant, name, actor)
    await verifier.refuseTakenBack(actor)
    const proposed = preview ? contract : previews ? actionShownBy(contract, previews) : undefined
    if (!proposed || !mayPropose(proposed, actor)) checkScope(contract, actor)
    const caller = checkAccess(contract, actor)
    const userId = userIdOf(caller)
    if (userId) await limits.take(preview ? 'read' : contract.rate, `u:${userId}`)
    const ctx: Ctx<any> = { ...context(caller), requestId: request_id, signal: AbortSignal.timeout(deadline_ms), ...(grant && { grant }) }
    const given = contract.body ? parsed(contract.body, input) : {}
    if (preview) return previewOf(ctx, previewed, known, given)
    // A reply that its own contract refuses is a bug, not the caller's mistake.
    const reply = contract.reply.parse(await known.run(ctx, given, key))
    if (Buffer.byteLength(JSON.stringify(reply ?? null)) > MAX_REPLY_BYTES)
      throw new DomainError('too_large', { message: 'The answer is larger than a call may carry. Ask for less of it.' })
    return reply
  }

  /** The action of that name, where it declares this function as its preview. */
  function actionShownBy({ path }: Endpoint, action: string): Endpoint | undefined {
    const found = calls.get(action)?.contract
    return found?.action?.preview?.path === path ? found : undefined
  }
}

/** The holder of a grant may do the actions it names, for the person who gave it, until it ends. */
function checkGrant(grant: Grant, name: string, actor: Actor): void {
  const good = userIdOf(actor) === grant.userId && grant.actions.includes(name) && (grant.until === null || Date.parse(grant.until) > now())
  if (!good) throw new DomainError('forbidden', { message: 'This run is not allowed to do that, or its permission has ended.' })
}
