import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { Alert } from './Panel.tsx'

type Props = {
  open?: boolean
  onClose: () => void
  title: ReactNode
  description?: ReactNode
  side?: 'center' | 'right'
  /** The button's words. */
  submit: string
  danger?: boolean
  /** Said above the reason when it was not saved. */
  failed: string
  /** `typed` is a field as it was typed, without the spaces around it. Closes the dialog, unless it answers false. */
  save: (typed: (field: string) => string, data: FormData) => Promise<unknown>
  /** Beside Cancel, on the other side. */
  beside?: ReactNode
  className?: string
  children: ReactNode
}

/** A dialog with one form: busy while it saves, and open with the reason where that fails. */
export function FormDialog({ open = true, onClose, submit, danger, failed, save, beside, className, children, ...dialog }: Props) {
  const id = useId()
  const [busy, setBusy] = useState(false)
  const [reason, setReason] = useState<string | null>(null)
  const close = () => {
    setReason(null)
    onClose()
  }
  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    setBusy(true)
    setReason(null)
    try {
      if ((await save((field) => String(data.get(field) ?? '').trim(), data)) !== false) onClose()
    } catch (error) {
      // Sign-in opens next and gives the reason.
      if ((error as Error).name !== 'AuthSessionMissingError') setReason((error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      {...dialog}
      open={open}
      onClose={close}
      footer={
        <>
          {beside}
          <Button onClick={close}>Cancel</Button>
          <Button variant={danger ? 'danger' : 'primary'} type="submit" form={id} busy={busy}>
            {submit}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={send} className={className ?? 'flex flex-col gap-4'}>
        {children}
        {reason === null ? null : (
          <div ref={showAll} className="col-span-full">
            <Alert title={failed}>{reason}</Alert>
          </div>
        )}
      </form>
    </Dialog>
  )
}

/** A long form ends below what its dialog shows. */
const showAll = (reason: HTMLElement | null) => reason?.scrollIntoView({ block: 'nearest' })
