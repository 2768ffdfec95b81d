import { Plus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Checkbox, SelectField, TextArea, TextField } from '../../../ui/Field.tsx'
import { Alert } from '../../../ui/Panel.tsx'
import { toast } from '../../../ui/toast.tsx'
import { newKey } from '../queries.ts'
import type { LeadForm } from './queries.ts'

const MOST_QUESTIONS = 10
type Asked = LeadForm['phone']
type Question = LeadForm['questions'][number] & { key: string }
type Props = { of: LeadForm | null; onClose: () => void; onDone: () => void }

export function FormDialog({ of, onClose, onDone }: Props) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [consent, setConsent] = useState(of?.consent_text ?? 'You may email me news and offers.')
  const [questions, setQuestions] = useState<Question[]>(
    (of?.questions ?? [{ label: 'What is it about?', required: false }]).map((each) => ({ ...each, key: crypto.randomUUID() })),
  )
  const change = (key: string, values: Partial<Question>) =>
    setQuestions(questions.map((each) => (each.key === key ? { ...each, ...values } : each)))

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const said = (name: string) => String(data.get(name) ?? '').trim()
    const given = {
      title: said('title'),
      intro: said('intro'),
      phone: said('phone') as Asked,
      company: said('company') as Asked,
      questions: questions.map(({ label, required }) => ({ label, required })),
      consent_text: consent.trim(),
      double_opt_in: consent.trim() ? data.has('double_opt_in') : (of?.double_opt_in ?? true),
      button: said('button'),
      thanks: said('thanks'),
      active: data.has('active'),
    }
    setBusy(true)
    setFailure(null)
    try {
      const idempotencyKey = newKey()
      if (of) await call('update-lead-form', { ...given, form_id: of.id, version: of.version }, { idempotencyKey })
      else {
        await call('create-lead-form', given, { idempotencyKey })
        toast.success('Your form is open', 'Share its link or put it on your site.')
      }
      onDone()
      onClose()
    } catch (error) {
      setFailure((error as Error).message)
    } finally {
      setBusy(false)
    }
  }

  const asked = (label: string, name: 'phone' | 'company') => (
    <SelectField label={label} name={name} defaultValue={of?.[name] ?? 'off'}>
      <option value="off">Not asked</option>
      <option value="optional">Optional</option>
      <option value="required">Required</option>
    </SelectField>
  )
  return (
    <Dialog
      open
      onClose={onClose}
      side="right"
      title={of ? 'Edit form' : 'New form'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="lead-form" busy={busy}>
            {of ? 'Save' : 'Create form'}
          </Button>
        </>
      }
    >
      <form id="lead-form" onSubmit={save} className="flex flex-col gap-4">
        <TextField label="Title" name="title" defaultValue={of?.title} required maxLength={120} data-first />
        <TextArea label="Introduction (optional)" name="intro" defaultValue={of?.intro} maxLength={1000} />
        <p className="text-13 text-muted">Name and email address are always asked.</p>
        <div className="grid grid-cols-2 gap-4">
          {asked('Phone', 'phone')}
          {asked('Company', 'company')}
        </div>
        <fieldset className="flex flex-col gap-3 border-t border-line pt-4">
          <legend className="float-left text-13 font-medium">Questions</legend>
          {questions.map(({ key, label, required }, n) => (
            <div key={key} className="flex flex-col gap-2">
              <div className="flex items-end gap-2">
                <TextField
                  label={`Question ${n + 1}`}
                  value={label}
                  required
                  maxLength={120}
                  onChange={(event) => change(key, { label: event.target.value })}
                  fieldClassName="flex-1"
                />
                <IconButton label={`Remove question ${n + 1}`} onClick={() => setQuestions(questions.filter((each) => each.key !== key))}>
                  <X />
                </IconButton>
              </div>
              <Checkbox checked={required} onChange={(event) => change(key, { required: event.target.checked })}>
                Has to be answered
              </Checkbox>
            </div>
          ))}
          {questions.length < MOST_QUESTIONS ? (
            <div>
              <Button onClick={() => setQuestions([...questions, { key: crypto.randomUUID(), label: '', required: false }])}>
                <Plus />
                Add a question
              </Button>
            </div>
          ) : null}
        </fieldset>
        <fieldset className="flex flex-col gap-3 border-t border-line pt-4">
          <legend className="float-left text-13 font-medium">Consent to emails</legend>
          <TextField
            label="What the visitor may agree to"
            value={consent}
            maxLength={400}
            onChange={(event) => setConsent(event.target.value)}
            hint="A box that nobody has to tick. Leave it empty to ask nobody. The words are kept with each answer."
          />
          {consent.trim() ? (
            <Checkbox name="double_opt_in" defaultChecked={of?.double_opt_in ?? true}>
              Ask by email whether the address is theirs, before it counts
            </Checkbox>
          ) : null}
        </fieldset>
        <div className="flex flex-col gap-4 border-t border-line pt-4">
          <TextField label="Words on the button" name="button" defaultValue={of?.button ?? 'Send'} required maxLength={40} />
          <TextArea
            label="What they see afterwards"
            name="thanks"
            defaultValue={of?.thanks ?? 'Thank you. We will get back to you.'}
            required
            maxLength={500}
          />
          <Checkbox name="active" defaultChecked={of?.active ?? true}>
            The form can be sent
          </Checkbox>
        </div>
        {failure ? <Alert title="The form was not saved">{failure}</Alert> : null}
      </form>
    </Dialog>
  )
}
