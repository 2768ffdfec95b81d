import { plainTextOf } from '@operon/contracts/crm/email/plainText'
import { Sparkles } from 'lucide-react'
import { useRef, useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox, Options, SelectField, TextField } from '../../../ui/Field.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import { attempt } from '../../../ui/toast.tsx'
import { describe } from '../audience/tree.ts'
import { type EmailStatus, newKey, useSegmentPreview, useSegments } from '../queries.ts'
import { TopicField } from '../TopicField.tsx'
import { counted } from '../words.ts'
import { FieldMenu } from './RichText.tsx'
import type { useDraft } from './useDraft.ts'

type Own = ReturnType<typeof useDraft>

type Props = { own: Own; status: EmailStatus | undefined; onChoose: () => void; emailOnly?: boolean }
/** The fields above the content: subject, preview line, who gets it and who sends it. A sequence has the latter two for all of its emails. */
export function Settings({ own, status, onChoose, emailOnly }: Props) {
  const { draft, change } = own
  const { document } = draft
  return (
    <Panel title="Envelope">
      <div className="flex flex-col gap-3">
        <Subject own={own} />
        <TextField
          label="Preview line"
          value={document.preview}
          maxLength={200}
          hint="Inboxes show it beside the subject."
          onChange={(event) => change({ document: { ...document, preview: event.target.value } }, 'preview')}
        />
        {emailOnly ? null : <Campaign own={own} status={status} onChoose={onChoose} />}
      </div>
    </Panel>
  )
}

function Campaign({ own, status, onChoose }: Props) {
  const { draft, change } = own
  return (
    <>
      <SecondSubject own={own} />
      <Recipients own={own} onChoose={onChoose} />
      <TopicField value={draft.topic_id} onChange={(topic_id) => change({ topic_id }, 'topic')} />
      <SelectField
        label="From"
        value={draft.sender_id ?? ''}
        hint={
          status && !status.senders.length
            ? status.mailersend.connected
              ? 'The first domain that is verified at MailerSend, until you add a sender.'
              : 'Add a sender under Sending.'
            : undefined
        }
        onChange={(event) => change({ sender_id: event.target.value || null }, 'sender')}
      >
        <option value="">The default sender</option>
        {status?.senders.map(({ sender_id, name, email }) => (
          <option key={sender_id} value={sender_id}>
            {`${name} <${email}>`}
          </option>
        ))}
      </SelectField>
    </>
  )
}

function Subject({ own: { draft, change } }: { own: Own }) {
  const field = useRef<HTMLInputElement>(null)
  const [ideas, setIdeas] = useState<string[]>([])
  const [busy, setBusy] = useState(false)
  const said = plainTextOf(draft.document, { unsubscribe: '', preferences: '' }, () => '').slice(0, 6000)
  async function suggest() {
    setBusy(true)
    await attempt('No subjects were suggested', async () => {
      const { subjects } = await call(
        'suggest-subjects',
        { text: said, ...(draft.subject.trim() && { subject: draft.subject.trim() }) },
        newKey(),
      )
      setIdeas(subjects)
    })
    setBusy(false)
  }
  function insert(words: string) {
    const at = field.current?.selectionStart ?? draft.subject.length
    change({ subject: (draft.subject.slice(0, at) + words + draft.subject.slice(at)).slice(0, 200) }, 'subject field')
  }
  return (
    <div>
      <TextField
        ref={field}
        label="Subject"
        value={draft.subject}
        maxLength={200}
        hint={draft.subject.length > 60 ? `${draft.subject.length} characters. Phones show about 60.` : undefined}
        onChange={(event) => change({ subject: event.target.value }, 'subject')}
        aside={
          <span className="-my-1 flex items-center">
            <FieldMenu onPick={insert} />
            <Button variant="ghost" className="px-2" busy={busy ? 'Thinking' : false} data-tip="Uses 1 prompt" onClick={suggest}>
              <Sparkles />
              Suggest
            </Button>
          </span>
        }
      />
      {ideas.length ? (
        <ul aria-label="Suggested subjects" className="mt-1.5 flex flex-col gap-1">
          {ideas.map((idea) => (
            <li key={idea}>
              <button
                type="button"
                className="w-full rounded-control px-2.5 py-1.5 text-left text-13 text-muted hairline hover:bg-raised hover:text-text max-md:min-h-11"
                onClick={() => {
                  change({ subject: idea }, 'idea')
                  setIdeas([])
                }}
              >
                {idea}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}

function SecondSubject({ own: { draft, change } }: { own: Own }) {
  const { ab } = draft
  return (
    <div className="flex flex-col gap-3">
      <Checkbox
        checked={Boolean(ab)}
        onChange={(event) => change({ ab: event.target.checked ? { subject: '', share_percent: 20, after_hours: 4 } : null }, 'ab')}
      >
        Test a second subject
      </Checkbox>
      {ab ? (
        <>
          <TextField
            label="Second subject"
            value={ab.subject}
            maxLength={200}
            error={ab.subject.trim() ? undefined : 'Write the other subject, or switch this off.'}
            onChange={(event) => change({ ab: { ...ab, subject: event.target.value } }, 'ab subject')}
          />
          <div className="grid grid-cols-2 gap-3">
            <SelectField
              label="Tried on"
              value={ab.share_percent}
              onChange={(event) => change({ ab: { ...ab, share_percent: Number(event.target.value) } }, 'ab share')}
            >
              <Options of={[10, 20, 30, 50].map((percent) => [percent, `${percent}% of recipients`])} />
            </SelectField>
            <SelectField
              label="Decided after"
              value={ab.after_hours}
              onChange={(event) => change({ ab: { ...ab, after_hours: Number(event.target.value) } }, 'ab hours')}
            >
              <Options of={[1, 2, 4, 8, 24].map((hours) => [hours, counted(hours, 'hour')])} />
            </SelectField>
          </div>
          <p className="text-12 text-faint">
            Half of the test group gets each subject. Everyone else gets the one with more clicks, or more opens in a tie.
          </p>
        </>
      ) : null}
    </div>
  )
}

function Recipients({ own: { draft, change }, onChoose }: { own: Own; onChoose: () => void }) {
  const segments = useSegments().data?.segments ?? []
  const found = useSegmentPreview(draft.segment)
  const saved = segments.find(({ segment_id }) => segment_id === draft.segment_id)
  const isEveryone = draft.segment.conditions.length === 0
  const value = saved ? saved.segment_id : isEveryone ? 'everyone' : 'own'
  function choose(next: string) {
    const picked = segments.find(({ segment_id }) => segment_id === next)
    if (picked) change({ segment_id: picked.segment_id, segment: picked.tree }, 'segment')
    else if (next === 'everyone') change({ segment_id: null, segment: { match: 'all', conditions: [] } }, 'segment')
    else onChoose()
  }
  return (
    <div>
      <SelectField
        label="To"
        value={value}
        onChange={(event) => choose(event.target.value)}
        hint={
          found.data
            ? `${counted(found.data.reachable, 'contact')} can be emailed${left(found.data)}.${found.data.note ? ` ${found.data.note}` : ''}`
            : 'Counting'
        }
      >
        <option value="everyone">All contacts</option>
        <Options of={segments.map(({ segment_id, name }) => [segment_id, name])} />
        <option value="own">{value === 'own' ? `Those who fit: ${describe(draft.segment).slice(0, 60)}` : 'Choose by conditions'}</option>
      </SelectField>
      {value === 'own' ? (
        <Button variant="ghost" className="-ml-3" onClick={onChoose}>
          Change the conditions
        </Button>
      ) : null}
    </div>
  )
}
const left = ({ contacts, reachable }: { contacts: number; reachable: number }) =>
  contacts > reachable ? `, ${contacts - reachable} left out (no address or consent, unsubscribed or bounced)` : ''
