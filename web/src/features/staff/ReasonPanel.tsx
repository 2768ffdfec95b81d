import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextArea } from '../../ui/Field.tsx'
import { Alert } from '../../ui/Panel.tsx'

type Props = {
  title: string
  /** Says what the action will do, before it is done. */
  says: ReactNode
  action: string
  danger?: boolean
  ready?: boolean
  children?: ReactNode
  onClose: () => void
  run: (reason: string) => Promise<unknown>
}

/** The side panel of every staff action: what it will do, and why, which is kept. */
export function ReasonPanel({ title, says, action, danger, ready = true, children, onClose, run }: Props) {
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  async function submit(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      await run(reason.trim())
      onClose()
    } catch (error) {
      setProblem((error as Error).message)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog open onClose={onClose} title={title} side="right">
      <form onSubmit={submit} className="flex flex-col gap-4">
        {children}
        <p className="rounded-control bg-raised px-3 py-2 text-13">{says}</p>
        <TextArea
          label="Reason"
          hint="At least 3 characters. It is kept in the log with your account."
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.target.value)}
        />
        {problem ? <Alert title="It was not done">{problem} Nothing was changed.</Alert> : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant={danger ? 'danger' : 'primary'} busy={busy} disabled={!ready || reason.trim().length < 3}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
