import type { Reply } from '@operon/contracts/contract'
import type { oauthGrants } from '@operon/contracts/identity/oauth'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { readJson } from '../../api/http.ts'
import { loadBackend, useSession } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyField } from '../../ui/Data.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { day, moment } from '../../ui/format.ts'
import { Asked, EmptyState, Panel } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'

type Grant = Reply<typeof oauthGrants>[number]
const address = '/auth/v1/user/oauth/grants'

/** Other companies' assistants and apps that the person has let in. */
export function ConnectedApps() {
  const { user } = useSession()
  const queries = useQueryClient()
  const queryKey = ['oauth-grants', user?.id]
  const [ending, setEnding] = useState<Grant | null>(null)
  const grants = useQuery({ queryKey, queryFn: async () => readJson<Grant[]>(await (await loadBackend()).authed(address)) })

  async function end({ client }: Grant) {
    await attempt('The app was not disconnected', async () => {
      await (await loadBackend()).authed(`${address}?client_id=${client.id}`, { method: 'DELETE' })
      await queries.invalidateQueries({ queryKey })
      toast.success(`${client.name} is disconnected`)
    })
  }

  return (
    <Panel title="Connected apps" flush>
      <div className="border-b border-line p-4 text-13 text-muted">
        <p className="mb-2">Add this address as an MCP server in Claude, ChatGPT or your editor. It asks you here what it may do.</p>
        <CopyField label="MCP address" value={`${location.origin}/mcp`} />
      </div>
      <Asked query={grants} skeleton="m-4 h-16" failed="Your apps could not be loaded" />
      {grants.data?.length === 0 ? <EmptyState compact title="No apps connected" /> : null}
      <ul className="divide-y divide-line">
        {grants.data?.map((grant) => (
          <li key={`${grant.client.id} ${grant.granted_at}`} className="flex items-center gap-3 px-4 py-3 text-13">
            <span className="min-w-0 flex-1">
              <span className="block font-medium">{grant.client.name}</span>
              <span className="block text-12 text-faint">
                {grant.scopes.includes('changes') ? 'Sees your data and makes changes' : 'Sees your data'} · connected{' '}
                {day(grant.granted_at)} · last active {moment(grant.last_used_at)}
              </span>
            </span>
            <Button variant="ghost" aria-label={`Disconnect ${grant.client.name}`} onClick={() => setEnding(grant)}>
              Disconnect
            </Button>
          </li>
        ))}
      </ul>
      <Confirm
        open={ending !== null}
        onClose={() => setEnding(null)}
        title={`Disconnect ${ending?.client.name ?? 'this app'}?`}
        action="Disconnect"
        danger
        onConfirm={() => ending && end(ending)}
      >
        The app loses access at once. You can connect it again from the app.
      </Confirm>
    </Panel>
  )
}
