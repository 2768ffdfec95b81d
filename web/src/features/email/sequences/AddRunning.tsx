import { type FormEvent, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { TextArea, TextField } from '../../../ui/Field.tsx'

/** An email is part of a running sequence from the start, so its words are asked for first. */
export function AddRunning({ onClose, onAdd }: { onClose: () => void; onAdd: (subject: string, text: string) => Promise<boolean> }) {
  const [subject, setSubject] = useState('')
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  async function add(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    if (await onAdd(subject.trim(), text.trim())) onClose()
    else setBusy(false)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Add an email"
      description="The sequence is running: people get this email 2 days after the one before. You can change it until then."
    >
      <form onSubmit={add} className="flex flex-col gap-4">
        <TextField
          label="Subject"
          data-first=""
          required
          maxLength={200}
          value={subject}
          onChange={(event) => setSubject(event.target.value)}
        />
        <TextArea label="Text" required maxLength={5000} rows={6} value={text} onChange={(event) => setText(event.target.value)} />
        <Button type="submit" variant="primary" className="self-end" disabled={!subject.trim() || !text.trim()} busy={busy}>
          Add email
        </Button>
      </form>
    </Dialog>
  )
}
