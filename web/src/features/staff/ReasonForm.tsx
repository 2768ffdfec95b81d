import type { ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { ReasonField } from './ReasonField.tsx'

type Props = {
  reason: string
  onChange: (reason: string) => void
  onAsk: () => unknown
  /** The button's words. */
  ask: string
  busy: boolean
  /** A field before the reason. */
  before?: ReactNode
  /** Another button, beside the first. */
  children?: ReactNode
}

export const isReason = (reason: string) => reason.trim().length >= 3

/** Asks for a list that is shown for a reason alone. */
export function ReasonForm({ reason, onChange, onAsk, ask, busy, before, children }: Props) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void onAsk()
      }}
      className={cx('grid items-end gap-3 md:auto-cols-auto md:grid-flow-col', before ? 'md:grid-cols-[auto_1fr]' : 'md:grid-cols-[1fr]')}
    >
      {before}
      <ReasonField value={reason} onChange={onChange} />
      <Button type="submit" variant="primary" className="md:h-9" busy={busy} disabled={!isReason(reason)}>
        {ask}
      </Button>
      {children}
    </form>
  )
}
