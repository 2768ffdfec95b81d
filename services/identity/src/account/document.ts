import { exportUser } from '@operon/contracts/personal-data'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { type HeldPiece, type Holding, readHeld } from '@operon/kit/personal-data'
import { sql } from 'kysely'
import type { AuthCtx } from '../deps.ts'
import type { ExportPart, ExportPlace } from '../schema.ts'
import { findUser, userJson } from '../users/users.ts'

// The document of an export, `{ …user, sessions: […], …, services: { billing: { accounts: […], … }, … } }`, written a piece at a time: each
// piece says where the next one begins, so that it can be written on from there by whoever is alive.

export const START: ExportPlace = { part: 'identity', from: null, list: null, filled: false, begun: false }

export const partsOf = ({ deps }: AuthCtx): ExportPart[] => ['identity', ...deps.config.AUTH_ERASING_SERVICES]

/** The text written from a position on, its number of rows, and the position after it. */
export async function writePiece(
  ctx: AuthCtx,
  userId: string,
  at: ExportPlace,
): Promise<{ text: string; rows: number; next: ExportPlace }> {
  const part = at.part!
  if (!at.begun) return { text: await opening(ctx, userId, part), rows: 0, next: { ...at, begun: true } }
  const piece = part === 'identity' ? await readHeld(ctx.db, OWN, userId, at.from) : await ask(ctx, part, userId, at.from)
  const isNewList = piece.name !== at.list
  const filled = isNewList ? piece.rows.length > 0 : at.filled || piece.rows.length > 0
  let text = ''
  if (isNewList && piece.name)
    text += `${at.list === null ? '' : ']'}${at.list === null && part !== 'identity' ? '' : ','}\n${JSON.stringify(piece.name)}:[`
  if (piece.rows.length) text += `${!isNewList && at.filled ? ',' : ''}\n${piece.rows.map((row) => JSON.stringify(row)).join(',\n')}`
  const rows = piece.rows.length
  if (piece.next) return { text, rows, next: { ...at, from: piece.next, list: piece.name || at.list, filled } }
  const parts = partsOf(ctx)
  const following = parts[parts.indexOf(part) + 1] ?? null
  text += `${piece.name || at.list ? ']' : ''}${part === 'identity' ? '' : '}'}${following ? '' : closing(part)}`
  return { text, rows, next: { ...START, part: following } }
}

async function opening(ctx: AuthCtx, userId: string, part: ExportPart): Promise<string> {
  if (part === 'identity') return JSON.stringify(await ownRecords(ctx, userId)).slice(0, -1)
  return `${partsOf(ctx)[1] === part ? ',\n"services":{' : ','}\n${JSON.stringify(part)}:{`
}

const closing = (last: ExportPart) => (last === 'identity' ? ',"services":{}}\n' : '}}\n')

async function ask(ctx: AuthCtx, service: Exclude<ExportPart, 'identity'>, userId: string, from: ExportPlace['from']): Promise<HeldPiece> {
  try {
    return await ctx.deps.rt.ask(exportUser(service), { user_id: userId, from }, { actor: ctx.actor })
  } catch (cause) {
    throw new DomainError('export_unavailable', { details: { service }, cause })
  }
}

async function ownRecords(ctx: AuthCtx, userId: string): Promise<Record<string, unknown>> {
  const [user, role, record] = await Promise.all([
    findUser(ctx.db, { id: userId }),
    ctx.db.selectFrom('user_roles').select(['role', 'created_at']).where('user_id', '=', userId).executeTakeFirst(),
    ctx.db.selectFrom('sign_up_records').select(['record', 'created_at']).where('user_id', '=', userId).executeTakeFirst(),
  ])
  if (!user) throw new DomainError('not_found')
  return { exported_at: new Date(now()).toISOString(), user: userJson(user), home_role: role ?? null, sign_up: record ?? null }
}

/** Identity's own long tables, without their secrets. */
const OWN: readonly Holding[] = [
  {
    table: 'sessions',
    of: (userId) => sql`t.user_id = ${userId} and t.revoked_at is null`,
    without: ['user_id', 'counter', 'amr', 'factor_id', 'echo', 'echoes', 'refreshed_at', 'revoked_at'],
    plus: sql`jsonb_build_object('last_used_at', t.refreshed_at)`,
  },
  { table: 'audit_log', as: 'audit', without: ['id', 'user_id', 'actor'] },
  { table: 'ai_keys', as: 'api_keys', without: ['id', 'user_id', 'hash'] },
  {
    table: 'oauth_grants',
    as: 'connected_apps',
    without: ['id', 'user_id', 'client_id', 'refresh_hash', 'previous_hash', 'resource'],
    plus: sql`jsonb_build_object('name', (select c.name from oauth_clients c where c.id = t.client_id))`,
  },
]
