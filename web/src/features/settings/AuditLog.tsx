import type { Reply } from '@operon/contracts/contract'
import type { accountAudit } from '@operon/contracts/identity'
import { useInfiniteQuery } from '@tanstack/react-query'
import { fnCall } from '../../api/billing.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Table } from '../../ui/Data.tsx'
import { moment } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel, Skeleton } from '../../ui/Panel.tsx'
import { deviceName } from './Devices.tsx'

const pageSize = 20

export function AuditLog() {
  const { user } = useSession()
  const log = useInfiniteQuery({
    queryKey: ['account-audit', user?.id],
    queryFn: ({ pageParam }) =>
      fnCall<Reply<typeof accountAudit>>('account-audit', { limit: pageSize, ...(pageParam ? { before: pageParam } : {}) }),
    initialPageParam: '',
    getNextPageParam: (last) => (last.entries.length === pageSize ? last.entries.at(-1)!.id : undefined),
  })
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <Panel title="Account log" flush>
      {log.isPending ? <Skeleton className="m-4 h-28" /> : null}
      {log.isError ? <ErrorState title="The log could not be loaded" error={log.error} retry={() => log.refetch()} /> : null}
      {log.data && !entries.length ? <EmptyState compact title="Nothing logged yet" /> : null}
      {entries.length ? (
        <Table label="Account log" head={['When', 'What', 'From']}>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td className="whitespace-nowrap text-muted">{moment(entry.at)}</td>
              <td className="whitespace-nowrap">{spoken(entry.action)}</td>
              <td className="whitespace-nowrap text-faint">
                <span className="font-mono text-12">{entry.ip}</span> · {deviceName(entry.user_agent)}
              </td>
            </tr>
          ))}
        </Table>
      ) : null}
      {log.hasNextPage ? (
        <Button variant="ghost" className="m-2" busy={log.isFetchingNextPage} onClick={() => log.fetchNextPage()}>
          Show older entries
        </Button>
      ) : null}
    </Panel>
  )
}

const names: Record<string, string> = {
  user_signedup: 'Account created',
  login: 'Signed in',
  logout: 'Signed out',
  token_refreshed: 'Session renewed',
  user_modified: 'Account changed',
}

function spoken(action: string) {
  if (names[action]) return names[action]
  const words = action.replaceAll(/[_.]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
