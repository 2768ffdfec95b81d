import { useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { ContactPicker, type Picked } from './deals/ContactPicker.tsx'
import { type Contact, newKey, useRefresh, useRefreshWithout } from './queries.ts'
import { longAgo } from './words.ts'

/** The same person twice: found by name and number, chosen by hand, merged and taken apart again. */
export function Duplicates({ contact }: { contact: Contact }) {
  const found = useCall('list-merges', { contact_id: contact.id }, { key: ['crm', 'merges', contact.id] })
  const refresh = useRefresh()
  const [other, setOther] = useState<Picked | null>(null)
  const [picking, setPicking] = useState(false)
  const refreshOthers = useRefreshWithout(other?.id ?? '')
  const unmerge = (merge_id: string, name: string) =>
    attempt(`${name} was not taken apart`, async () => {
      await call('unmerge-contacts', { merge_id }, { idempotencyKey: newKey() })
      await refresh()
    })
  const merge = () =>
    attempt('The contacts were not merged', async () => {
      const { id: merge_id, name } = other!
      const done = await call('merge-contacts', { keep_id: contact.id, merge_id }, { idempotencyKey: newKey() })
      setPicking(false)
      await refreshOthers()
      toast.undo(`${name} merged into ${contact.name}`, () => unmerge(done.merge_id, name))
    })
  const { merges = [], others = [] } = found.data ?? {}
  return (
    <section className="flex flex-col gap-2 text-13" aria-label="Duplicates">
      <h3 className="font-medium">Duplicates</h3>
      {others.map(({ id, name, email, phone }) => (
        <p key={id} className="flex items-center justify-between gap-3 rounded-panel bg-raised px-4 py-2">
          <span className="min-w-0 break-words">
            {name} <span className="text-muted">{email ?? phone}</span> may be the same person.
          </span>
          <Button onClick={() => setOther({ id, name })}>Merge</Button>
        </p>
      ))}
      {merges.map(({ merge_id, name, email, at }) => (
        <p key={merge_id} className="flex items-center justify-between gap-3">
          <span className="min-w-0 break-words text-muted">
            {[name, email].filter(Boolean).join(', ')}, merged {longAgo(at)}
          </span>
          <Button variant="ghost" onClick={() => unmerge(merge_id, name)}>
            Take apart
          </Button>
        </p>
      ))}
      {picking ? (
        <ContactPicker picked={null} onPick={(picked) => (picked?.id === contact.id ? undefined : setOther(picked))} />
      ) : (
        <div>
          <Button variant="ghost" onClick={() => setPicking(true)}>
            Merge with another contact
          </Button>
        </div>
      )}
      <Confirm
        open={other !== null}
        onClose={() => setOther(null)}
        title={`Merge ${other?.name} into ${contact.name}?`}
        action="Merge contacts"
        keep="Keep both"
        onConfirm={merge}
      >
        {contact.name} stays, with the addresses, tags, timeline, tasks and deals of both. You can take them apart again.
      </Confirm>
    </section>
  )
}
