import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { now } from '@operon/kit/clock'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import type { Vault } from '@operon/kit/vault'
import { sql } from 'kysely'
import { type Deps, invalid } from '../deps.ts'
import type { Claim, OneTimeType } from '../schema.ts'
import type { Db, Trx } from '../users/users.ts'

const CODE_TRIES = 5

/**
 * The secrets of one mail or message, made from its id: a retried send carries the same, and neither the database nor a queue holds them.
 * `token` goes into the link, `code` is what a person types.
 */
export function secretsOf(vault: Vault, id: string, pkce = false): { token: string; code: string } {
  const key = vault.derive('one-time-secrets')
  const token = createHmac('sha256', key).update(`link:${id}`).digest('base64url').slice(0, 40)
  const number = createHmac('sha256', key).update(`code:${id}`).digest().readUIntBE(0, 6)
  return { token: pkce ? `pkce_${token}` : token, code: String(number % 1_000_000).padStart(6, '0') }
}

export const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url')
// Keyed, because a million codes are quickly tried against a plain hash.
const hashCode = (vault: Vault, id: string, code: string) =>
  createHmac('sha256', vault.derive('one-time-codes')).update(`${id}:${code}`).digest('base64url')

/** The same id for the same cause, so that a job that runs again sends nothing new. */
export function followUpId(id: string, what: string): string {
  const bytes = createHash('sha256').update(`${id}:${what}`).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x70
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

type OneTime = {
  id?: string
  userId: string
  type: OneTimeType
  relatesTo: string
  flowId?: string | null
  delayMs?: number
  /** Left out, the claim of the token before it stays: the same sign-up is sent again. */
  claim?: Claim | null | undefined
}

/** A user has one token of a type; a newer one ends the older. False when this very one was issued before. */
export async function issueOneTime(
  trx: Trx,
  { rt, config }: Deps,
  { id = newId(), userId, type, relatesTo, flowId = null, delayMs = 0, claim }: OneTime,
): Promise<boolean> {
  const { token, code } = secretsOf(rt.vault, id, flowId !== null)
  const row = {
    id,
    type,
    relates_to: relatesTo,
    token_hash: hashToken(token),
    code_hash: hashCode(rt.vault, id, code),
    attempts: 0,
    flow_id: flowId,
    expires_at: new Date(now() + delayMs + config.AUTH_OTP_SECONDS * 1000),
    created_at: new Date(now()),
    ...(claim !== undefined && { claim: claim && JSON.stringify(claim) }),
  }
  const issued = await trx
    .insertInto('one_time_tokens')
    .values({ ...row, user_id: userId })
    .onConflict((conflict) => conflict.columns(['user_id', 'type']).doUpdateSet(row).where('one_time_tokens.id', '!=', id))
    .returning('id')
    .executeTakeFirst()
  return issued !== undefined
}

/**
 * A letter that waited goes out: from now on its token counts, and the one before it no more. False where a newer letter took its place or the
 * address was confirmed meanwhile.
 */
export function takeOver(db: Db, id: string): Promise<boolean> {
  return inTransaction(db, async (trx: Trx) => {
    const row = await trx.selectFrom('one_time_tokens').select(['user_id', 'type']).where('id', '=', id).forUpdate().executeTakeFirst()
    if (row?.type !== 'confirmation_waiting') return row !== undefined
    await trx.deleteFrom('one_time_tokens').where('user_id', '=', row.user_id).where('type', '=', 'confirmation').execute()
    await trx.updateTable('one_time_tokens').set({ type: 'confirmation' }).where('id', '=', id).execute()
    return true
  })
}

export type Redeemed = { id: string; user_id: string; type: OneTimeType; relates_to: string; flow_id: string | null; claim: Claim | null }
const redeemed = ['id', 'user_id', 'type', 'relates_to', 'flow_id', 'claim'] as const

/** Takes a link token: works once. */
export async function redeemToken(trx: Trx, token: string, types: OneTimeType[]): Promise<Redeemed | null> {
  const row = await trx
    .deleteFrom('one_time_tokens')
    .where('token_hash', '=', hashToken(token))
    .where('type', 'in', types)
    .where('expires_at', '>', new Date(now()))
    .returning(redeemed)
    .executeTakeFirst()
  return row ?? null
}

/** The same without taking it. */
export async function lookAtToken(db: Db, token: string, types: OneTimeType[]): Promise<Redeemed | null> {
  const row = await db
    .selectFrom('one_time_tokens')
    .select(redeemed)
    .where('token_hash', '=', hashToken(token))
    .where('type', 'in', types)
    .where('expires_at', '>', new Date(now()))
    .executeTakeFirst()
  return row ?? null
}

/** Counts the try first, so that parallel guesses are counted too; those from the owner's own addresses are bounded by `takeGuess`. Runs outside of the caller's transaction: a failed try must stay counted. */
export async function redeemCode(
  deps: Deps,
  relatesTo: string,
  code: string,
  types: OneTimeType[],
  { userId, isFamiliar = false }: { userId?: string; isFamiliar?: boolean } = {},
): Promise<Redeemed | null> {
  const db = deps.rt.db
  const rows = await db
    .updateTable('one_time_tokens')
    .set({ attempts: isFamiliar ? sql.ref('attempts') : sql`attempts + 1` })
    .where('relates_to', '=', relatesTo)
    .where('type', 'in', types)
    .$if(!isFamiliar, (query) => query.where('attempts', '<', CODE_TRIES))
    .where('expires_at', '>', new Date(now()))
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId!))
    .returning([...redeemed, 'code_hash'])
    .execute()
  const row = rows.find((candidate) => same(candidate.code_hash, hashCode(deps.rt.vault, candidate.id, code)))
  if (!row) return null
  const taken = await db.deleteFrom('one_time_tokens').where('id', '=', row.id).returning('id').executeTakeFirst()
  return taken ? row : null
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

export type Challenge = { code_challenge?: string | null | undefined; code_challenge_method?: string | null | undefined }

export function readChallenge({
  code_challenge: challenge,
  code_challenge_method: method,
}: Challenge): { challenge: string; method: string } | null {
  if (!challenge && !method) return null
  if (!challenge || !method) throw invalid('PKCE flow requires code_challenge_method and code_challenge')
  if (challenge.length < 43 || challenge.length > 128) throw invalid('code challenge has to be between 43 and 128 characters')
  if (!/^[A-Za-z0-9._~-]+$/.test(challenge))
    throw invalid('code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes')
  if (!['s256', 'plain'].includes(method.toLowerCase())) throw invalid('Invalid code_challenge_method')
  return { challenge, method: method.toLowerCase() }
}
