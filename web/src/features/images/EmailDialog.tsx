import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { call, useCall } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { publishPicture } from '../../pictures/PicturePicker.tsx'
import type { Picture } from '../../pictures/picture.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Asked, EmptyState } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'

const ALT = 300

/** Puts a copy of a picture at the end of a draft, before its footer, and opens it. */
export function EmailDialog({ picture, onClose }: { picture: Picture; onClose: () => void }) {
  const drafts = useCall('find-campaigns', { status: 'draft', limit: 50 })
  const [busy, setBusy] = useState<string | null>(null)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const put = (campaign_id: string) =>
    attempt('Not added to the email', async () => {
      setBusy(campaign_id)
      try {
        const { url, alt } = await publishPicture({ picture_id: picture.id })
        const { campaign } = await call('get-campaign', { campaign_id })
        const { blocks } = campaign.document
        const end = blocks.findLastIndex(({ kind }) => kind !== 'footer' && kind !== 'social') + 1
        const block = {
          kind: 'image' as const,
          id: crypto.randomUUID(),
          url,
          alt: alt.slice(0, ALT),
          link: '',
          width: 100,
          align: 'center' as const,
        }
        const document = { ...campaign.document, blocks: blocks.toSpliced(end, 0, block) }
        await call('update-campaign', { campaign_id, version: campaign.version, document }, { idempotencyKey: crypto.randomUUID() })
        await queries.invalidateQueries({ queryKey: ['email'] })
        navigate(`${paths.email}?campaign=${campaign_id}`)
      } finally {
        setBusy(null)
      }
    })
  return (
    <Dialog
      open
      onClose={onClose}
      title="Use in an email"
      description="A copy gets a public address, so that readers can load it. It stays in your Library, and goes when you delete it there."
    >
      <Asked query={drafts} skeleton="h-24" failed="Your drafts could not be loaded" />
      {drafts.data?.campaigns.length === 0 ? (
        <EmptyState title="No drafts yet" compact>
          <Link to={`${paths.email}?new=`} className="text-signal-text underline">
            Begin a campaign
          </Link>{' '}
          first, then choose it here.
        </EmptyState>
      ) : null}
      <ul className="divide-y divide-line">
        {drafts.data?.campaigns.map(({ campaign_id, name, subject }) => (
          <li key={campaign_id} className="flex items-center gap-3 py-2">
            <span className="min-w-0 flex-1">
              <span className="block truncate text-14">{name}</span>
              <span className="block truncate text-12 text-faint">{subject || 'No subject yet'}</span>
            </span>
            <Button disabled={busy !== null} busy={busy === campaign_id ? 'Adding' : false} onClick={() => void put(campaign_id)}>
              Add
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
