import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call, useCall } from '../../../api/call.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Asked, EmptyState, Panel } from '../../../ui/Panel.tsx'
import { attempt, toast } from '../../../ui/toast.tsx'
import { newKey, type Segment, useCampaigns, useRefresh, useSegments } from '../queries.ts'
import { SegmentDialog } from './SegmentDialog.tsx'
import { describe } from './tree.ts'

const everyone = { match: 'all' as const, conditions: [] }

export function Segments() {
  const segments = useSegments()
  const refresh = useRefresh()
  const names = new Map(
    useCampaigns({ query: '', status: undefined }).data?.pages.flatMap(({ campaigns }) =>
      campaigns.map(({ campaign_id, name }) => [campaign_id, name] as const),
    ),
  )
  const own = useCall('list-contact-fields', {}, { key: ['crm', 'fields'] }).data?.fields
  const fields = own && new Map(own.map(({ id, name }) => [id, name]))
  const [open, setOpen] = useState<Segment | 'new' | null>(null)
  const rows = segments.data?.segments ?? []
  const remove = ({ segment_id, name, tree }: Segment) =>
    attempt(`${name} was not deleted`, async () => {
      await call('delete-segment', { segment_id }, newKey())
      await refresh()
      toast.undo(
        `${name} deleted`,
        () =>
          void attempt(`${name} was not restored`, async () => {
            await call('save-segment', { name, tree }, newKey())
            await refresh()
          }),
      )
    })
  return (
    <Panel
      flush
      title="Segments"
      actions={
        <Button onClick={() => setOpen('new')}>
          <Plus />
          New segment
        </Button>
      }
    >
      <Asked query={segments} skeleton="m-4 h-32" failed="Your segments could not be loaded" />
      {segments.data && rows.length === 0 ? (
        <EmptyState compact title="No segments yet">
          Save a group such as “tagged vip and active in the last 30 days”. It is worked out again each time you send.
        </EmptyState>
      ) : null}
      <ul aria-label="Segments" className="divide-y divide-line">
        {rows.map((row) => (
          <li key={row.segment_id} className="relative flex items-center gap-3 px-4 py-2.5 text-13 hover:bg-raised">
            <span className="min-w-0 flex-1">
              <button
                type="button"
                className="block w-full truncate text-left font-medium before:absolute before:inset-0"
                onClick={() => setOpen(row)}
              >
                {row.name}
              </button>
              <span className="block truncate text-12 text-faint">{describe(row.tree, names, fields)}</span>
            </span>
            <IconButton label={`Delete ${row.name}`} className="relative" onClick={() => remove(row)}>
              <Trash2 />
            </IconButton>
          </li>
        ))}
      </ul>
      {open ? (
        <SegmentDialog of={open === 'new' ? null : open} tree={open === 'new' ? everyone : open.tree} onClose={() => setOpen(null)} />
      ) : null}
    </Panel>
  )
}
