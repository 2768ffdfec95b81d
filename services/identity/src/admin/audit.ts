import type { Input, Output } from '@operon/contracts/contract'
import type * as admin from '@operon/contracts/identity/admin'
import { type RawBuilder, sql } from 'kysely'
import { type AuthCtx, invalid } from '../deps.ts'
import { type AuditAction, auditActions } from '../users/audit.ts'
import { anywhere, COUNTED_AT_MOST, type Page, pageUpTo, readPage } from './pages.ts'

type Row = {
  id: string
  user_id: string
  action: string
  by_service: boolean
  detail: Record<string, unknown>
  ip: string
  at: Date
  email: string | null
  phone: string | null
  username: string
  name: string | null
}

const SERVICE = 'service_role'
const NOBODY = '00000000-0000-0000-0000-000000000000'
/** Names the actor in the protocol's words: the number before the address, and one name for every service key. */
const username = sql`case when a.actor = 'service' then ${SERVICE} else coalesce(u.phone, u.email, '') end`
const name = sql`case when a.actor = 'user' then coalesce(u.user_metadata->>'full_name', u.user_metadata->>'name') end`

/** The audit log of all accounts as the protocol shows it to a service key, the newest first. */
export async function adminListAudit(
  ctx: AuthCtx,
  input: Input<typeof admin.adminListAudit>,
): Promise<Page & { entries: Output<typeof admin.adminListAudit> }> {
  const { page, perPage } = readPage(input)
  const { where, many } = await readQuery(ctx, input.query)
  // Where each row of the log has to be looked at, as far as the next pages are counted.
  const counts = many ? Math.min(COUNTED_AT_MOST, (page + 1) * perPage) : COUNTED_AT_MOST
  // What is passed over is not looked up: a deep page reads the index and its own rows.
  const listed = sql`select a.id from audit_log a ${where} order by a.id desc`
  const [{ rows }, { rows: counted }] = await Promise.all([
    sql<Row>`select a.id, a.user_id, a.action, a.actor = 'service' as by_service, a.detail, a.ip, a.at, u.email, u.phone, ${username} as username, ${name} as name
      from (${listed} limit ${perPage} offset ${(page - 1) * perPage}) listed join audit_log a using (id) left join users u on u.id = a.user_id
      order by a.id desc`.execute(ctx.db),
    sql<{ total: number }>`select count(*) as total from (${listed} limit ${counts}) counted`.execute(ctx.db),
  ])
  return { ...pageUpTo(counted[0]!.total, rows.length, page, perPage), entries: rows.map(entryOf) }
}

type Where = { where: RawBuilder<unknown>; many?: boolean }

async function readQuery(ctx: AuthCtx, query: string | null | undefined): Promise<Where> {
  if (!query) return { where: sql`` }
  const at = query.indexOf(':')
  const [scope, part] = [query.slice(0, at), query.slice(at + 1)]
  if (at < 0 || !['author', 'action', 'type'].includes(scope)) throw invalid(`Invalid query scope: ${query}`)
  if (!part) return { where: sql`` }
  if (scope === 'author') return byAuthor(ctx, anywhere(part))
  const said = scope === 'action' ? 'action' : 'log_type'
  const fitting = Object.keys(auditActions).filter((action) => inProtocol(action)[said].includes(part.toLowerCase()))
  return { where: sql`where a.action = any(${fitting}::text[])` }
}

/** So few authors are found first, and then what they did. Where more fit, much of the log does, and a page of it is soon full. */
const FEW_AUTHORS = 1_000

async function byAuthor(ctx: AuthCtx, like: string): Promise<Where> {
  const { rows } = await sql<{ id: string }>`
    select u.id from users u where u.email ilike ${like} or u.phone ilike ${like}
      or u.user_metadata->>'full_name' ilike ${like} or u.user_metadata->>'name' ilike ${like} limit ${FEW_AUTHORS + 1}`.execute(ctx.db)
  const fits = sql`(${username} ilike ${like} or ${name} ilike ${like})`
  // Asked row by row, in the order of the log: joined, all of it would be put together first.
  const many = rows.length > FEW_AUTHORS
  if (many)
    return { where: sql`where case when (select ${fits} from (select 1) one left join users u on u.id = a.user_id) then true end`, many }
  const { rows: service } = await sql<{ fits: boolean }>`select ${SERVICE} ilike ${like} as fits`.execute(ctx.db)
  const theirs = sql`a.user_id = any(${rows.map(({ id }) => id)}::uuid[]) and a.actor <> 'service' and exists (
    select from users u where u.id = a.user_id and ${fits})`
  return { where: service[0]!.fits ? sql`where (${theirs}) or a.actor = 'service'` : sql`where ${theirs}` }
}

/** One that a newer version wrote, of a kind that is not known here, is about the account. */
function inProtocol(action: string): { action: string; log_type: string } {
  const known: { kind: string; protocol?: string } | undefined = auditActions[action as AuditAction]
  return { action: known?.protocol ?? action, log_type: known?.kind ?? 'account' }
}

function entryOf(row: Row): Output<typeof admin.adminListAudit>[number] {
  const about = row.by_service && { user_id: row.user_id, user_email: row.email ?? '', user_phone: row.phone ?? '' }
  const traits = { ...about, ...row.detail }
  return {
    id: row.id,
    payload: {
      actor_id: row.by_service ? NOBODY : row.user_id,
      actor_via_sso: false,
      actor_username: row.username,
      ...(row.name && { actor_name: row.name }),
      ...inProtocol(row.action),
      ...(Object.keys(traits).length > 0 && { traits }),
    },
    created_at: row.at.toISOString(),
    ip_address: row.ip,
  }
}
