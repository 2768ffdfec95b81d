import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Checkbox, SelectField, TextArea, TextField } from '../../../ui/Field.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { Questions, withKey } from '../../../ui/Questions.tsx'
import { toast } from '../../../ui/toast.tsx'
import { newKey } from '../queries.ts'
import type { LeadForm } from './queries.ts'

const MOST_QUESTIONS = 10
type Asked = LeadForm['phone']
type Asking = LeadForm['questions'][number] & { key: string }
type Props = { of: LeadForm | null; onClose: () => void; onDone: () => void }

export function LeadFormDialog({ of, onClose, onDone }: Props) {
  const [consent, setConsent] = useState(of?.consent_text ?? 'You may email me news and offers.')
  const [questions, setQuestions] = useState<Asking[]>((of?.questions ?? [{ label: 'What is it about?', required: false }]).map(withKey))

  async function save(said: (field: string) => string, data: FormData) {
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
    const idempotencyKey = newKey()
    if (of) await call('update-lead-form', { ...given, form_id: of.id, version: of.version }, { idempotencyKey })
    else {
      await call('create-lead-form', given, { idempotencyKey })
      toast.success('Your form is open', 'Share its link or put it on your site.')
    }
    onDone()
  }

  const asked = (label: string, name: 'phone' | 'company') => (
    <SelectField label={label} name={name} defaultValue={of?.[name] ?? 'off'}>
      <option value="off">Not asked</option>
      <option value="optional">Optional</option>
      <option value="required">Required</option>
    </SelectField>
  )
  return (
    <FormDialog
      onClose={onClose}
      side="right"
      title={of ? 'Edit form' : 'New form'}
      submit={of ? 'Save' : 'Create form'}
      failed="The form was not saved"
      save={save}
    >
      <TextField label="Title" name="title" defaultValue={of?.title} required maxLength={120} data-first />
      <TextArea label="Introduction (optional)" name="intro" defaultValue={of?.intro} maxLength={1000} />
      <p className="text-13 text-muted">Name and email address are always included.</p>
      <div className="grid grid-cols-2 gap-4">
        {asked('Phone', 'phone')}
        {asked('Company', 'company')}
      </div>
      <Questions of={questions} onChange={setQuestions} most={MOST_QUESTIONS} fresh={() => withKey({ label: '', required: false })} />
      <fieldset className="flex flex-col gap-3 border-t border-line pt-4">
        <legend className="float-left text-13 font-medium">Consent to emails</legend>
        <TextField
          label="What the visitor may agree to"
          value={consent}
          maxLength={400}
          onChange={(event) => setConsent(event.target.value)}
          hint="An optional checkbox. Leave it empty to leave the checkbox out. Its words are kept with each answer."
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
    </FormDialog>
  )
}
