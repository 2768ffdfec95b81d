import { valuesOf } from '@operon/contracts/crm/email/merge'
import { renderEmail } from '@operon/contracts/crm/email/render'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button } from '../../../ui/Button.tsx'
import { moment } from '../../../ui/format.ts'
import { Panel } from '../../../ui/Panel.tsx'
import { attempt, toast } from '../../../ui/toast.tsx'
import { describe } from '../audience/tree.ts'
import { EmailFrame } from '../editor/Preview.tsx'
import { type Campaign, newKey, useRefresh, useSegmentPreview } from '../queries.ts'
import { counted } from '../words.ts'

/** Waits for its time. To change it, it becomes a draft again. */
export function Scheduled({ campaign }: { campaign: Campaign }) {
  const { campaign_id, document, scheduled_at, reader_hour, segment } = campaign
  const refresh = useRefresh()
  const found = useSegmentPreview(segment).data
  const [busy, setBusy] = useState<'draft' | 'now' | null>(null)
  const act = async (what: 'draft' | 'now', failure: string, work: () => Promise<unknown>) => {
    setBusy(what)
    await attempt(failure, work)
    setBusy(null)
  }
  const edit = () =>
    act('draft', 'The campaign is still scheduled', async () => {
      await call('cancel-campaign', { campaign_id }, newKey())
      await refresh()
    })
  const now = () =>
    act('now', 'The campaign was not sent', async () => {
      const { recipients } = await call('send-campaign', { campaign_id }, newKey())
      toast.success(`${campaign.name} is being sent`, `To ${counted(recipients, 'recipient')}.`)
      await refresh()
    })
  const { html } = renderEmail(
    document,
    valuesOf({ name: 'Ines Ortega', email: 'ines@harbour-cafe.example' }),
    { unsubscribe: '#', preferences: '#' },
    'light',
  )
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[22rem_minmax(0,1fr)]">
      <Panel title={scheduled_at ? `Goes out on ${moment(scheduled_at)}` : 'Scheduled'}>
        <p className="mb-4 text-13 text-muted">
          {describe(segment)}
          {found
            ? `: ${counted(found.reachable, 'contact')} today. The list is fixed when it goes out.${found.note ? ` ${found.note}` : ''}`
            : '.'}
          {reader_hour !== null ? ` Each person gets it at ${reader_hour}:00 in their time zone.` : ''}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" busy={busy === 'draft'} onClick={edit}>
            Edit
          </Button>
          <Button busy={busy === 'now'} onClick={now}>
            Send now
          </Button>
        </div>
      </Panel>
      <Panel flush className="overflow-hidden">
        <EmailFrame html={html} />
      </Panel>
    </div>
  )
}
