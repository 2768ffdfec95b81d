import { deviceName } from '@operon/contracts/words'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Monitor, Smartphone } from 'lucide-react'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { moment } from '../../ui/format.ts'
import { Asked, Panel, Pill } from '../../ui/Panel.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { attempt, toast } from '../../ui/toast.tsx'

export function Devices() {
  const { user } = useSession()
  const queries = useQueryClient()
  const key = ['account-sessions', user?.id]
  const sessions = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => call('account-sessions', pageParam ? { cursor: pageParam } : {}),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
  })
  const devices = sessions.data?.pages.flatMap((page) => page.sessions) ?? []

  async function revoke(id: string) {
    await attempt('That device was not signed out', async () => {
      await call('account-session-revoke', { session_id: id })
      await queries.invalidateQueries({ queryKey: key })
      toast.success('That device is signed out')
    })
  }

  return (
    <Panel title="Devices" flush>
      <Asked query={sessions} skeleton="m-4 h-20" failed="Your devices could not be loaded" />
      <ul className="divide-y divide-line">
        {devices.map((session) => {
          const Icon = /iPhone|Android|Mobile/.test(session.user_agent) ? Smartphone : Monitor
          return (
            <li key={session.id} className="flex items-center gap-3 px-4 py-3 text-13">
              <Icon className="size-4 text-faint" />
              <span className="min-w-0 flex-1">
                <span className="flex flex-wrap items-center gap-2 font-medium">
                  {deviceName(session.user_agent)}
                  {session.current ? <Pill tone="good">This device</Pill> : null}
                </span>
                <span className="block text-12 text-faint">
                  <span className="font-mono">{session.ip}</span> · last used {moment(session.last_used_at)}
                </span>
              </span>
              {session.current ? null : (
                <Button variant="ghost" onClick={() => revoke(session.id)}>
                  Sign out
                </Button>
              )}
            </li>
          )
        })}
      </ul>
      <ShowMore of={sessions} variant="ghost" className="m-2">
        Show older devices
      </ShowMore>
    </Panel>
  )
}
