import { type FormEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { attempt } from '../../ui/toast.tsx'
import { MentionField } from './MentionField.tsx'
import { mentionsOf, type Picked } from './mentions.ts'
import { newKey } from './queries.ts'

/** A note or a call. With @ it mentions other contacts, companies and deals. */
export function NewNote({ contactId, onAdded }: { contactId: string; onAdded: () => Promise<unknown> }) {
  const [text, setText] = useState('')
  const [picked, setPicked] = useState<Picked[]>([])
  const [busy, setBusy] = useState(false)
  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const kind = (event.nativeEvent as SubmitEvent).submitter?.getAttribute('value') === 'call' ? 'call' : 'note'
    const mentions = mentionsOf(text, picked)
    const note = { contact_id: contactId, text: text.trim(), kind, ...(mentions.length && { mentions }) } as const
    setBusy(true)
    await attempt('The note was not added', async () => {
      await call('add-note', note, { idempotencyKey: newKey() })
      setText('')
      setPicked([])
      await onAdded()
    })
    setBusy(false)
  }
  return (
    <form onSubmit={add} className="flex flex-col gap-2">
      <MentionField value={text} onChange={setText} onPick={(one) => setPicked((before) => [...before, one])} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" value="note" busy={busy}>
          Add note
        </Button>
        <Button type="submit" value="call" busy={busy} variant="ghost">
          Log as a call
        </Button>
      </div>
    </form>
  )
}
