import { Copy, EllipsisVertical, LayoutTemplate, MailPlus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { Menu, MenuItem } from '../../ui/Menu.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { type Campaign, newKey, useRefresh } from './queries.ts'

type Of = Pick<Campaign, 'campaign_id' | 'name' | 'status' | 'sent_count'>
/** Actions on a campaign as a whole. */
export function CampaignMenu({ of, onCopied, onGone }: { of: Of; onCopied: (id: string) => void; onGone?: () => void }) {
  const refresh = useRefresh()
  const [asked, setAsked] = useState(false)
  const { campaign_id, name, status, sent_count } = of
  const duplicate = () =>
    attempt(`${name} was not copied`, async () => {
      const copy = await call('duplicate-campaign', { campaign_id }, newKey())
      await refresh()
      onCopied(copy.campaign_id)
    })
  const followUp = () =>
    attempt('The follow-up was not created', async () => {
      const next = await call('follow-up-campaign', { campaign_id }, newKey())
      await refresh()
      onCopied(next.campaign_id)
    })
  const keep = () =>
    attempt('The template was not saved', async () => {
      const { campaign } = await call('get-campaign', { campaign_id })
      await call('save-email-template', { name, subject: campaign.subject, document: campaign.document }, newKey())
      await refresh()
      toast.success('Saved as a template', 'You find it under Templates.')
    })
  /** A draft comes back as it was. What was sent has recipients and figures that do not, so that is asked first. */
  const remove = () =>
    attempt(`${name} was not deleted`, async () => {
      const { campaign } = await call('get-campaign', { campaign_id })
      await call('delete-campaign', { campaign_id }, newKey())
      onGone?.()
      await refresh()
      if (sent_count) toast.success(`${name} deleted`)
      else toast.undo(`${name} deleted`, () => void attempt(`${name} was not restored`, () => restore(campaign).then(refresh)))
    })
  return (
    <>
      <Menu
        trigger={(props) => (
          <IconButton label={`More for ${name}`} {...props}>
            <EllipsisVertical />
          </IconButton>
        )}
      >
        <MenuItem icon={<Copy />} onSelect={duplicate}>
          Duplicate
        </MenuItem>
        {sent_count ? (
          <MenuItem icon={<MailPlus />} onSelect={followUp}>
            Follow up with people who did not open it
          </MenuItem>
        ) : null}
        <MenuItem icon={<LayoutTemplate />} onSelect={keep}>
          Save as a template
        </MenuItem>
        {status === 'sending' || status === 'paused' ? null : (
          <MenuItem icon={<Trash2 />} danger onSelect={() => (sent_count ? setAsked(true) : void remove())}>
            Delete
          </MenuItem>
        )}
      </Menu>
      <Confirm open={asked} onClose={() => setAsked(false)} title={`Delete ${name}?`} action="Delete" danger onConfirm={remove}>
        Its report is deleted too. People who unsubscribed stay unsubscribed.
      </Confirm>
    </>
  )
}

async function restore({ name, subject, document, segment, segment_id, sender_id, ab, reader_hour }: Campaign) {
  const { campaign_id } = await call(
    'create-campaign',
    { name, subject, document, segment, ...(segment_id && { segment_id }), ...(sender_id && { sender_id }) },
    newKey(),
  )
  if (ab || reader_hour !== null) await call('update-campaign', { campaign_id, ab, reader_hour }, newKey())
}
