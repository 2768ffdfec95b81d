import type { Input, Output } from '@operon/contracts/contract'
import type * as admin from '@operon/contracts/identity/admin'
import { sql } from 'kysely'
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
  const from = sql`from audit_log a left join users u on u.id = a.user_id where ${readQuery(input.query)}`
  const [{ rows }, { rows: counted }] = await Promise.all([
    sql<Row>`select a.id, a.user_id, a.action, a.actor = 'service' as by_service, a.detail, a.ip, a.at, u.email, u.phone, ${username} as username, ${name} as name
      ${from} order by a.id desc limit ${perPage} offset ${(page - 1) * perPage}`.execute(ctx.db),
    sql<{ total: number }>`select count(*) as total from (select ${from} limit ${COUNTED_AT_MOST}) counted`.execute(ctx.db),
  ])
  return { ...pageUpTo(counted[0]!.total, rows.length, page, perPage), entries: rows.map(entryOf) }
}

function readQuery(query: string | null | undefined) {
  if (!query) return sql`true`
  const at = query.indexOf(':')
  const [scope, part] = [query.slice(0, at), query.slice(at + 1)]
  if (at < 0 || !['author', 'action', 'type'].includes(scope)) throw invalid(`Invalid query scope: ${query}`)
  if (!part) return sql`true`
  const like = anywhere(part)
  if (scope === 'author') return sql`(${username} ilike ${like} or ${name} ilike ${like})`
  const said = scope === 'action' ? 'action' : 'log_type'
  const fitting = Object.keys(auditActions).filter((action) => inProtocol(action)[said].includes(part.toLowerCase()))
  return sql`a.action = any(${fitting}::text[])`
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
