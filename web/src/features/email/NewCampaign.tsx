import { texts } from '@operon/contracts/messages'
import { Sparkles } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Options, SelectField, TextArea, TextField } from '../../ui/Field.tsx'
import { Skeleton } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { useSearch } from '../../ui/useSearch.ts'
import { type EmailStatus, newKey, useEmailStatus, useRefresh, useTemplates } from './queries.ts'

const tones = { friendly: 'Friendly', professional: 'Professional', playful: 'Playful', urgent: 'Urgent', plain: 'Plain' } as const
type Tone = keyof typeof tones
type Way = 'ai' | 'template' | 'blank'
const ideas = [
  'Announce our spring sale: 20% off until Sunday',
  'Welcome people who just subscribed',
  'Invite customers to our open evening on Friday at 7 pm',
]

/** Three ways to begin. Each ends in a draft: nothing is sent from here. */
export function NewCampaign({ onClose, template }: { onClose: () => void; template: string | null }) {
  const [way, setWay] = useState<Way>(template ? 'template' : 'ai')
  const { change } = useSearch()
  const refresh = useRefresh()
  const status = useEmailStatus().data
  async function created(given: Parameters<typeof call<'create-campaign'>>[1]) {
    const { campaign_id } = await call('create-campaign', given!, newKey())
    void refresh()
    change({ new: undefined, template: undefined, tab: undefined, campaign: campaign_id })
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="New campaign"
      description="You get a draft. Nothing is sent until you send it."
      className="w-[min(36rem,calc(100vw-2rem))]!"
    >
      <Tabs<Way>
        look="segment"
        label="How to begin"
        value={way}
        onChange={setWay}
        tabs={[
          { id: 'ai', label: 'Write with AI', panel: <WithAi created={created} sender={footerOf(status)} /> },
          { id: 'template', label: 'Template', panel: <FromTemplate created={created} chosen={template} /> },
          { id: 'blank', label: 'Blank', panel: <Blank created={created} sender={footerOf(status)} /> },
        ]}
      />
    </Dialog>
  )
}

type Given = Parameters<typeof call<'create-campaign'>>[1]
type Created = (given: Given) => Promise<void>
const footerOf = (status: EmailStatus | undefined) => {
  const first = status?.senders.find(({ is_default }) => is_default) ?? status?.senders[0]
  return first ? { name: first.name } : undefined
}

function WithAi({ created, sender }: { created: Created; sender: { name: string } | undefined }) {
  const [request, setRequest] = useState('')
  const [tone, setTone] = useState<Tone>('friendly')
  const [busy, setBusy] = useState(false)
  async function generate(event: FormEvent) {
    event.preventDefault()
    if (!request.trim()) return
    setBusy(true)
    try {
      const { name, subjects, document } = await call(
        'generate-email',
        { request: request.trim(), tone, ...(sender && { sender }) },
        newKey(),
      )
      await created({ name, subject: subjects[0]!, document })
    } catch (error) {
      toast.error(texts.emailAiFailed, (error as Error).message)
      setBusy(false)
    }
  }
  return (
    <form onSubmit={generate} className="flex flex-col gap-4 pt-4">
      <TextArea
        label="What should the email say?"
        data-first=""
        value={request}
        maxLength={2000}
        placeholder="For whom, about what, and what they should do next"
        onChange={(event) => setRequest(event.target.value)}
      />
      <ul className="flex flex-col items-start gap-1.5">
        {ideas.map((idea) => (
          <li key={idea}>
            <button
              type="button"
              className="text-left text-13 text-muted underline decoration-control underline-offset-4 hover:text-text max-md:min-h-8"
              onClick={() => setRequest(idea)}
            >
              {idea}
            </button>
          </li>
        ))}
      </ul>
      <SelectField label="Tone" value={tone} onChange={(event) => setTone(event.target.value as Tone)}>
        <Options of={Object.entries(tones)} />
      </SelectField>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-12 text-faint">Uses 1 prompt, or 2 if the first answer cannot be used.</p>
        <Button type="submit" variant="primary" disabled={!request.trim()} busy={busy ? 'Writing' : false}>
          <Sparkles />
          Generate email
        </Button>
      </div>
    </form>
  )
}

function FromTemplate({ created, chosen }: { created: Created; chosen: string | null }) {
  const templates = useTemplates()
  const [picked, setPicked] = useState(chosen)
  const [busy, setBusy] = useState(false)
  const of = templates.data?.templates.find(({ template_id }) => template_id === picked)
  async function begin() {
    setBusy(true)
    if (!(await attempt('The campaign was not created', () => created({ name: of!.name, template_id: of!.template_id })))) setBusy(false)
  }
  return (
    <div className="flex flex-col gap-4 pt-4">
      {templates.isPending ? <Skeleton className="h-40" /> : null}
      <fieldset className="grid gap-1.5 sm:grid-cols-2">
        <legend className="sr-only">Template</legend>
        {templates.data?.templates.map(({ template_id, name, ours }) => (
          <label
            key={template_id}
            className={cx(
              'flex min-h-9 items-center justify-between gap-2 rounded-control border px-3 text-13 has-focus-visible:outline-2 has-focus-visible:outline-signal-text max-md:min-h-11',
              picked === template_id
                ? 'border-signal-text bg-signal-soft font-medium'
                : 'cursor-pointer border-line text-muted hover:bg-raised hover:text-text',
            )}
          >
            <input
              type="radio"
              name="template"
              value={template_id}
              checked={picked === template_id}
              onChange={() => setPicked(template_id)}
              className="sr-only"
            />
            <span className="truncate">{name}</span>
            {ours ? null : <span className="text-12 text-faint">Yours</span>}
          </label>
        ))}
      </fieldset>
      <Button variant="primary" className="self-end" disabled={!of} busy={busy} onClick={begin}>
        Use this template
      </Button>
    </div>
  )
}

function Blank({ created, sender }: { created: Created; sender: { name: string } | undefined }) {
  const [name, setName] = useState('')
  const [busy, setBusy] = useState(false)
  async function begin(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    const blocks: NonNullable<Given>['document'] = {
      blocks: [
        { kind: 'heading', id: 'heading', text: name.trim() },
        { kind: 'text', id: 'text', text: 'Hi {{ first_name | default: "there" }},\n\n' },
        { kind: 'footer', id: 'footer', name: sender?.name ?? '', address: '' },
      ],
    }
    if (!(await attempt('The campaign was not created', () => created({ name: name.trim(), document: blocks })))) setBusy(false)
  }
  return (
    <form onSubmit={begin} className="flex flex-col gap-4 pt-4">
      <TextField
        label="Name"
        hint="Only you see it. Recipients see the subject."
        required
        maxLength={120}
        value={name}
        onChange={(event) => setName(event.target.value)}
        placeholder="Spring news"
      />
      <Button type="submit" variant="primary" className="self-end" disabled={!name.trim()} busy={busy}>
        Create draft
      </Button>
    </form>
  )
}
