import { type FormEvent, useState } from 'react'
import { addSecurityKey } from '../../api/device.ts'
import { confirmed } from '../../shell/ConfirmItsYou.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Alert } from '../../ui/Panel.tsx'

/** A name, a touch, done. */
export function SecurityKeyDialog({ open, onClose, onAdded }: { open: boolean; onClose: () => void; onAdded: () => Promise<void> }) {
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const typed = String(new FormData(event.currentTarget).get('name')).trim()
    setBusy(true)
    setProblem(undefined)
    try {
      await confirmed(() => addSecurityKey(typed || nameOfNow()))
      await onAdded()
    } catch (error) {
      const isTaken = (error as { code?: string }).code === 'mfa_factor_name_conflict'
      setProblem(isTaken ? 'One of your second factors has this name already. Choose another one.' : (error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  function close() {
    setProblem(undefined)
    onClose()
  }

  return (
    <Dialog
      open={open}
      onClose={close}
      title="Add a security key"
      description="Keep it nearby: your browser asks you to insert it, or hold it to your phone, and touch it."
    >
      <form onSubmit={add} className="flex flex-col gap-4">
        {problem ? <Alert title="The key was not added">{problem}</Alert> : null}
        <TextField
          label="Name"
          name="name"
          maxLength={60}
          placeholder="Security key"
          hint="Optional. Helps you tell your keys apart."
          data-first
        />
        <Button type="submit" variant="primary" busy={busy ? 'Waiting for your key' : false}>
          Continue
        </Button>
      </form>
    </Dialog>
  )
}

// Names must differ within an account.
const nameOfNow = () => `Security key ${new Date().toISOString().slice(0, 19).replace('T', ' ')}`
