import type { CallReply } from '@operon/contracts/calls'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Options, SelectField } from '../../ui/Field.tsx'
import { Asked } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'

type Tool = CallReply<'list-mcp-tools'>['tools'][number]
const allowances: { id: Tool['allow']; name: string }[] = [
  { id: 'no', name: 'Not allowed' },
  { id: 'asks', name: 'Allowed, asks you each time' },
  { id: 'reads', name: 'Allowed without asking' },
]

/** The tools of somebody else's server. None runs before it is allowed here. */
export function McpTools({ connectionId }: { connectionId: string }) {
  const queries = useQueryClient()
  const key = ['list-mcp-tools', connectionId]
  const listed = useCall('list-mcp-tools', { connection_id: connectionId }, { key })
  const [asking, setAsking] = useState(false)
  const show = (tools: Tool[]) => {
    queries.setQueryData(key, { tools })
    void queries.invalidateQueries({ queryKey: ['list-custom-apis'] })
  }
  const allow = (tool: string, allowed: Tool['allow']) =>
    attempt('The tool is as it was', async () =>
      show((await call('allow-mcp-tool', { connection_id: connectionId, tool, allow: allowed })).tools),
    )
  async function refresh() {
    setAsking(true)
    await attempt('The tools could not be asked for', async () => {
      const { tools, left_out } = await call('refresh-mcp-tools', { connection_id: connectionId })
      show(tools)
      toast.success('These are its tools now', left_out ? `${left_out} left out: they are too large, or more than 100` : undefined)
    })
    setAsking(false)
  }

  return (
    <section>
      <h3 className="mb-1 font-semibold">Tools</h3>
      <p className="mb-4 text-muted">
        Names and descriptions are the server’s own words. Whoever runs it sees what a tool is called with. Let only tools that you trust
        run without asking.
      </p>
      <Asked query={listed} skeleton="h-24" failed="The tools could not be loaded" />
      {listed.data && !listed.data.tools.length ? <p className="text-muted">The server has no tools.</p> : null}
      <ul className="flex flex-col gap-4">
        {listed.data?.tools.map(({ name, title, description, read_only, allow: allowed }) => (
          <li key={name}>
            <SelectField
              label={title}
              hint={[description, read_only ? 'The server says that it only reads.' : ''].filter(Boolean).join(' ')}
              value={allowed}
              onChange={({ target }) => allow(name, target.value as Tool['allow'])}
            >
              <Options of={allowances.map((each) => [each.id, each.name])} />
            </SelectField>
          </li>
        ))}
      </ul>
      <Button className="mt-4" variant="ghost" onClick={refresh} busy={asking ? 'Asking' : false}>
        Ask for its tools again
      </Button>
    </section>
  )
}
