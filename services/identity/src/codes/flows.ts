import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { now } from '@operon/kit/clock'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { type AuthCtx, invalid, refuse } from '../deps.ts'
import { beginSession, type SessionJson } from '../sessions/sessions.ts'
import type { Trx } from '../users/users.ts'
import { type Challenge, hashToken, readChallenge } from './one-time.ts'

const CODE_LIVES_MS = 5 * 60_000

/** A mail whose link ends in a code for the client that asked, and for nobody else. Null where no challenge was given. */
export async function beginMailFlow(
  trx: Trx,
  flow: { id?: string; userId: string; method: string; redirectTo: string; lifetimeMs: number } & Challenge,
): Promise<string | null> {
  const challenge = readChallenge(flow)
  if (!challenge) return null
  const id = flow.id ?? newId()
  await trx
    .insertInto('flows')
    .values({
      id,
      kind: 'mail',
      method: flow.method,
      provider: 'email',
      user_id: flow.userId,
      redirect_to: flow.redirectTo,
      code_challenge: challenge.challenge,
      code_challenge_method: challenge.method,
      expires_at: new Date(now() + flow.lifetimeMs),
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  return id
}

/** The code that the client exchanges with its verifier; only its hash is kept. */
export async function issueAuthCode(trx: Trx, flowId: string, userId: string): Promise<string | null> {
  const code = randomBytes(24).toString('base64url')
  const row = await trx
    .updateTable('flows')
    .set({ user_id: userId, code_hash: hashToken(code), expires_at: new Date(now() + CODE_LIVES_MS) })
    .where('id', '=', flowId)
    .where('code_hash', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row ? code : null
}

/** A code works once, also with a wrong verifier. */
export async function exchangeCode(
  ctx: AuthCtx,
  { auth_code: code, code_verifier: verifier }: { auth_code?: string | null | undefined; code_verifier?: string | null | undefined },
): Promise<SessionJson> {
  if (!code || !verifier) throw invalid('invalid request: both auth code and code verifier should be non-empty')
  const flow = await ctx.db
    .updateTable('flows')
    .set({ used_at: new Date() })
    .where('code_hash', '=', hashToken(code))
    .where('used_at', 'is', null)
    .returning(['id', 'user_id', 'method', 'code_challenge', 'code_challenge_method', 'sealed_provider_tokens', 'expires_at'])
    .executeTakeFirst()
  if (!flow?.user_id || !flow.code_challenge) throw refuse(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found')
  if (flow.expires_at.getTime() < now()) throw refuse(422, 'flow_state_expired', 'invalid flow state, flow state has expired')
  if (!matches(verifier, flow.code_challenge, flow.code_challenge_method))
    throw refuse(400, 'bad_code_verifier', 'code challenge does not match previously saved code verifier')
  const session = await inTransaction(ctx.db, (trx) => beginSession(trx as Trx, ctx, flow.user_id!, flow.method))
  const sealed = flow.sealed_provider_tokens
  if (!sealed) return session
  return { ...session, ...JSON.parse(ctx.deps.rt.vault.open(sealed, `flows:${flow.id}`)) }
}

function matches(verifier: string, challenge: string, method: string | null): boolean {
  const given = Buffer.from(method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url'))
  const expected = Buffer.from(challenge)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
