import { ListPlus } from 'lucide-react'
import { useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Options, SelectField } from '../../ui/Field.tsx'
import { moment } from '../../ui/format.ts'
import { Asked } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { newKey } from './queries.ts'

const people = (n: number) => (n === 1 ? '1 contact' : `${n.toLocaleString('en-US')} contacts`)

/** Opens the choice of a sequence for these contacts. */
export function AddToSequence({ ids, onAdded }: { ids: string[]; onAdded?: () => void }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <ListPlus />
        Add to a sequence
      </Button>
      {open ? <Choice ids={ids} onClose={() => setOpen(false)} onAdded={onAdded} /> : null}
    </>
  )
}

function Choice({ ids, onClose, onAdded }: { ids: string[]; onClose: () => void; onAdded: (() => void) | undefined }) {
  const { user } = useSession()
  const found = useCall('list-sequences', {}, { key: ['email', user?.id, 'sequences'] })
  const sequences = found.data?.sequences ?? []
  const [picked, setPicked] = useState('')
  const [busy, setBusy] = useState(false)
  const preview = useCall(
    'preview-sequence-entry',
    { sequence_id: picked, contact_ids: ids },
    { key: ['email', user?.id, 'sequence-entry', picked, ids], enabled: Boolean(picked), gcTime: 0 },
  )
  const { enters = 0, left_out = [], first } = preview.data ?? {}
  async function add() {
    setBusy(true)
    const done = await attempt('The contacts were not added', async () => {
      const { added } = await call('add-to-sequence', { sequence_id: picked, contact_ids: ids }, { idempotencyKey: newKey() })
      toast.success(`${people(added)} added to ${preview.data!.name}`)
    })
    setBusy(false)
    if (!done) return
    onClose()
    onAdded?.()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Add to a sequence"
      footer={
        sequences.length ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="primary" disabled={!picked || !enters} busy={busy} onClick={add}>
              {enters ? `Add ${people(enters)}` : 'Add'}
            </Button>
          </>
        ) : undefined
      }
    >
      <Asked query={found} skeleton="h-16" failed="Your sequences could not be loaded" />
      {found.data && !sequences.length ? (
        <div className="flex flex-col items-start gap-3 text-13">
          <p>You have no sequences yet. Create one in the Email Studio, then add people here.</p>
          <ButtonLink to={`${paths.email}?tab=sequences&new=1`}>New sequence</ButtonLink>
        </div>
      ) : null}
      {sequences.length ? (
        <div className="flex flex-col gap-3">
          <SelectField label="Sequence" value={picked} data-first="" onChange={(event) => setPicked(event.target.value)}>
            <option value="">Choose a sequence</option>
            <Options
              of={sequences.map(({ sequence_id, name, state }) => [sequence_id, state === 'running' ? name : `${name} (${state})`])}
            />
          </SelectField>
          {picked ? <Asked query={preview} skeleton="h-16" failed="The contacts could not be checked" /> : null}
          {preview.data ? (
            <div role="status" className="flex flex-col gap-1 text-13">
              <p>
                {people(enters)} of {ids.length} will enter.
                {enters && first
                  ? first.at
                    ? ` First email: ${first.subject}, on ${moment(first.at)}.`
                    : ` First email: ${first.subject || 'no subject yet'}, after you start the sequence.`
                  : ''}
              </p>
              {left_out.length ? (
                <ul className="text-muted">
                  {left_out.map(({ reason, people: n }) => (
                    <li key={reason}>
                      {reason}: {n}
                    </li>
                  ))}
                </ul>
              ) : null}
            </div>
          ) : null}
        </div>
      ) : null}
    </Dialog>
  )
}
