import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Checkbox, TextArea } from '../../ui/Field.tsx'
import { toast } from '../../ui/toast.tsx'
import { newKey } from './queries.ts'
import { ReasonPanel } from './ReasonPanel.tsx'

type Props = {
  about: { sale_id: string } | { dispute: string }
  title: string
  kept?: string | null | undefined
  onClose: () => void
  onDone: () => void
}

/** The answer to a bank: kept as a draft, or sent once. */
export function EvidencePanel({ about, title, kept, onClose, onDone }: Props) {
  const [key] = useState(newKey)
  const [text, setText] = useState(kept ?? '')
  const [send, setSend] = useState(false)
  async function run(reason: string) {
    await call('staff-submit-evidence', { ...about, text: text.trim(), send, reason }, { idempotencyKey: `${key}${send ? 's' : 'd'}` })
    toast.success(send ? 'The evidence was sent to the bank' : 'The draft was saved')
    onDone()
  }
  return (
    <ReasonPanel
      title={`Evidence: ${title}`}
      action={send ? 'Send to the bank' : 'Save draft'}
      danger={send}
      ready={text.trim().length >= 10}
      says={
        send
          ? 'The bank takes one answer, and it cannot be changed. What is known of the order, its delivery and the buyer is added.'
          : 'Keeps the text with the dispute. Nothing is sent.'
      }
      onClose={onClose}
      run={run}
    >
      <TextArea label="Evidence" rows={8} maxLength={10_000} value={text} onChange={(event) => setText(event.target.value)} />
      <Checkbox checked={send} onChange={(event) => setSend(event.target.checked)}>
        Send it to the bank now
      </Checkbox>
    </ReasonPanel>
  )
}
