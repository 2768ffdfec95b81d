import type { Reply } from '@operon/contracts/contract'
import type { accountAudit } from '@operon/contracts/identity/api'
import { deviceName } from '@operon/contracts/words'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import { moment } from '../../ui/format.ts'
import { Asked, EmptyState, Panel } from '../../ui/Panel.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'

const pageSize = 20
type Entry = Reply<typeof accountAudit>['entries'][number]

export function AuditLog() {
  const { user } = useSession()
  const log = useInfiniteQuery({
    queryKey: ['account-audit', user?.id],
    queryFn: ({ pageParam }) => call('account-audit', { limit: pageSize, ...(pageParam ? { before: pageParam } : {}) }),
    initialPageParam: '',
    getNextPageParam: (last) => (last.entries.length === pageSize ? last.entries.at(-1)!.id : undefined),
  })
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <Panel title="Account log" flush>
      <Asked query={log} skeleton="m-4 h-28" failed="The log could not be loaded" />
      {log.data && !entries.length ? <EmptyState compact title="Nothing logged yet" /> : null}
      <ol className="divide-y divide-line text-13">
        {entries.map((entry) => (
          <li key={entry.id} className="flex flex-wrap items-baseline justify-between gap-x-6 px-4 py-2.5">
            <span className="font-medium">{spoken(entry)}</span>
            <span className="text-12 text-faint">
              {deviceName(entry.user_agent)} · <span className="font-mono">{entry.ip}</span> · {moment(entry.at)}
            </span>
          </li>
        ))}
      </ol>
      <ShowMore of={log} variant="ghost" className="m-2">
        Show older entries
      </ShowMore>
    </Panel>
  )
}

const names: Record<string, string> = {
  user_signedup: 'Account created',
  user_created_by_admin: 'Account created for you',
  user_invited: 'Invitation sent',
  user_confirmation_requested: 'Confirmation link sent',
  user_repeated_signup: 'Sign-up tried again with this address',
  user_verified: 'Link or code accepted',
  user_recovery_requested: 'Password reset link sent',
  user_reauthenticate_requested: 'Code sent to confirm it is you',
  user_modified: 'Account changed',
  user_updated_password: 'Password changed',
  unproven_access_removed: 'Address confirmed; what was set up before was removed',
  user_banned: 'Account suspended',
  app_connected: 'App connected',
  app_disconnected: 'App disconnected',
  api_key_created: 'API key created',
  api_key_revoked: 'API key revoked',
  login: 'Signed in',
  login_failed: 'Sign-in failed',
  logout: 'Signed out',
  session_revoked: 'Device signed out',
  token_reused: 'Device signed out: its session was used twice',
  factor_enrolled: 'Authenticator setup started',
  factor_challenged: 'Authenticator code requested',
  factor_verified: 'Authenticator code accepted',
  factor_updated: 'Authenticator renamed',
  factor_removed: 'Authenticator removed',
  factor_recovery_begun: 'Removal of the second factor requested by email',
  factor_recovery_stopped: 'Removal of the second factor stopped',
  factor_recovery_done: 'Second factor removed by email',
  recovery_codes_created: 'Recovery codes made',
  recovery_code_used: 'Recovery code used',
  identity_linked: 'Sign-in connected',
  identity_unlinked: 'Sign-in removed',
  link_generated: 'Sign-in link made for you',
  role_assigned: 'Account type set',
  account_exported: 'Data exported',
  staff_read_erasures: 'Erasures viewed by staff',
}
const ways: Record<string, string> = { password: 'a password', otp: 'a link or code', recovery: 'a reset link', oauth: 'a provider' }

function spoken({ action, detail }: Entry) {
  const name = names[action] ?? action.replaceAll(/[_.]/g, ' ')
  if (action === 'login' && ways[String(detail.method)]) return `${name} with ${ways[String(detail.method)]}`
  if (action === 'login_failed') return `${name}: wrong ${detail.method}${detail.last ? '. More are not listed today' : ''}`
  const fields = Array.isArray(detail.fields) ? detail.fields.map((field) => (field === 'data' ? 'profile' : String(field))) : []
  if (action === 'user_modified' && fields.length) return `${name}: ${fields.join(', ').replaceAll('_', ' ')}`
  return name
}
