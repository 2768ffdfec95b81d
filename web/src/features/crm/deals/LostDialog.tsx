import { type FormEvent, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { TextField } from '../../../ui/Field.tsx'
import { type Deal, useDealMoves } from './queries.ts'

const reasons = ['Price', 'No answer', 'Chose somebody else', 'Not now']

/** Asks why a deal was lost. The reason may stay empty. */
export function LostDialog({ deal, onClose }: { deal: Deal; onClose: () => void }) {
  const { close } = useDealMoves()
  const [busy, setBusy] = useState(false)
  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    setBusy(true)
    const isDone = await close(deal, false, String(new FormData(event.currentTarget).get('reason')).trim())
    setBusy(false)
    if (isDone) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`${deal.title} is lost`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="lost-form" busy={busy}>
            Mark as lost
          </Button>
        </>
      }
    >
      <form id="lost-form" onSubmit={save}>
        <TextField
          label="Reason"
          name="reason"
          list="lost-reasons"
          maxLength={200}
          data-first
          hint="Kept with the deal. You can leave it empty."
        />
        <datalist id="lost-reasons">
          {reasons.map((reason) => (
            <option key={reason} value={reason} />
          ))}
        </datalist>
      </form>
    </Dialog>
  )
}
