import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { Reply } from '@operon/contracts/contract'
import type { Erasing } from '@operon/contracts/erasure'
import { exportUser } from '@operon/contracts/personal-data'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import type { AuthCtx } from '../deps.ts'
import { audit } from '../users/audit.ts'
import { demandFreshSession } from '../users/step-up.ts'
import { currentUser, type Trx, type User, userJson } from '../users/users.ts'

/**
 * Everything that the platform holds about a person, without its secrets, as one JSON document. It is put down first and sent once all of it
 * is there, then goes again: an export is whole, or it is refused.
 */
export async function exportAccount(ctx: AuthCtx, _input: unknown): Promise<Readable> {
  const { user, session } = await currentUser(ctx)
  demandFreshSession(user, session)
  const begun = await Promise.all(
    ctx.deps.config.AUTH_ERASING_SERVICES.map(async (service) => [service, await ask(ctx, service, user.id)] as const),
  )
  const own = await ownData(ctx, user)
  const { storage } = ctx.deps.rt
  const key = `${KEPT_AT}${newId()}.json`
  await storage.put(key, Readable.from(write(ctx, user.id, own, begun)), { contentType: 'application/json' }).catch((err) => {
    throw err instanceof DomainError ? err : new DomainError('export_unavailable', { details: { service: 'identity' }, cause: err })
  })
  await inTransaction(ctx.db, (trx: Trx) => audit(trx, ctx, user.id, 'account_exported'))
  const { body } = await storage.get(key)
  body.once('close', () => storage.delete(key).catch((err) => ctx.log.warn({ err, key }, 'an export that was sent stays until the sweep')))
  return body
}

const KEPT_AT = 'exports/'
const LEFT_AFTER_MS = 3_600_000

/** Exports of a process that ended before it had sent them. */
export async function sweepExports({ deps: { rt } }: AuthCtx): Promise<void> {
  for (const { key, modifiedAt } of await rt.storage.list(KEPT_AT))
    if (modifiedAt.getTime() < now() - LEFT_AFTER_MS) await rt.storage.delete(key)
}

type Piece = Reply<ReturnType<typeof exportUser>>

/** Who answered before is asked again for the same piece: a service that restarts costs the export no row. */
const AGAIN_AFTER_MS = [500, 2_000, 5_000]

async function ask(ctx: AuthCtx, service: Erasing, userId: string, from: Piece['next'] = null, tries = 0): Promise<Piece> {
  ctx.signal.throwIfAborted()
  try {
    return await ctx.deps.rt.ask(exportUser(service), { user_id: userId, from }, { actor: ctx.actor })
  } catch (err) {
    const waitMs = from && AGAIN_AFTER_MS[tries]
    if (waitMs) {
      await setTimeout(waitMs, undefined, { signal: ctx.signal })
      return ask(ctx, service, userId, from, tries + 1)
    }
    ctx.log.warn({ err, who: service }, 'a service does not answer what it holds of a person')
    throw new DomainError('export_unavailable', { details: { service }, cause: err })
  }
}

async function ownData(ctx: AuthCtx, user: User): Promise<Record<string, unknown>> {
  const [sessions, role, record, entries, api_keys, connected_apps] = await Promise.all([
    ctx.db
      .selectFrom('sessions')
      .select(['id', 'user_agent', 'ip', 'created_at', 'refreshed_at as last_used_at', 'aal'])
      .where('user_id', '=', user.id)
      .where('revoked_at', 'is', null)
      .orderBy('id')
      .limit(10_000)
      .execute(),
    ctx.db.selectFrom('user_roles').select(['role', 'created_at']).where('user_id', '=', user.id).executeTakeFirst(),
    ctx.db.selectFrom('sign_up_records').select(['record', 'created_at']).where('user_id', '=', user.id).executeTakeFirst(),
    ctx.db
      .selectFrom('audit_log')
      .select(['at', 'action', 'ip', 'user_agent', 'detail'])
      .where('user_id', '=', user.id)
      .orderBy('id')
      .limit(10_000)
      .execute(),
    ctx.db
      .selectFrom('ai_keys')
      .select(['name', 'prefix', 'scopes', 'monthly_prompts', 'created_at', 'last_used_at', 'expires_at', 'revoked_at'])
      .where('user_id', '=', user.id)
      .orderBy('id')
      .limit(10_000)
      .execute(),
    ctx.db
      .selectFrom('oauth_grants as g')
      .innerJoin('oauth_clients as c', 'c.id', 'g.client_id')
      .select(['c.name', 'g.scopes', 'g.created_at', 'g.refreshed_at', 'g.revoked_at'])
      .where('g.user_id', '=', user.id)
      .orderBy('g.id')
      .limit(10_000)
      .execute(),
  ])
  return {
    exported_at: new Date().toISOString(),
    user: userJson(user),
    home_role: role ?? null,
    sign_up: record ?? null,
    sessions,
    audit: entries,
    api_keys,
    connected_apps,
  }
}

/** `{ …own, services: { billing: { accounts: […], … }, … } }`, a piece at a time. */
async function* write(ctx: AuthCtx, userId: string, own: Record<string, unknown>, begun: (readonly [Erasing, Piece])[]) {
  yield `${JSON.stringify(own).slice(0, -1)},"services":{`
  for (const [at, [service, first]] of begun.entries()) {
    yield `${at ? ',' : ''}${JSON.stringify(service)}:{`
    yield* writeService(ctx, service, userId, first)
    yield '}'
  }
  yield '}}'
}

async function* writeService(ctx: AuthCtx, service: Erasing, userId: string, first: Piece) {
  let name: string | null = null
  let rowsBefore = 0
  for (let piece: Piece | null = first; piece; piece = piece.next && (await ask(ctx, service, userId, piece.next))) {
    if (piece.name !== name) {
      yield `${name === null ? '' : '],'}${JSON.stringify(piece.name)}:[`
      name = piece.name
      rowsBefore = 0
    }
    if (!piece.rows.length) continue
    yield (rowsBefore ? ',' : '') + piece.rows.map((row) => JSON.stringify(row)).join(',')
    rowsBefore += piece.rows.length
  }
  yield ']'
}
