import { TextField } from '../../../ui/Field.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { type Deal, useDealMoves } from './queries.ts'

const reasons = ['Price', 'No answer', 'Chose somebody else', 'Not now']

/** Asks why a deal was lost. The reason may stay empty. */
export function LostDialog({ deal, onClose }: { deal: Deal; onClose: () => void }) {
  const { close } = useDealMoves()
  return (
    <FormDialog
      onClose={onClose}
      title={`${deal.title} is lost`}
      submit="Mark as lost"
      failed="The deal was not closed"
      save={(typed) => close(deal, false, typed('reason'))}
    >
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
    </FormDialog>
  )
}
