import type { CallReply } from '@operon/contracts/calls'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useParams } from 'react-router-dom'
import { callPublic } from '../../api/call.ts'
import { ApiError } from '../../api/http.ts'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { PublicMessage } from '../../shell/PublicMessage.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Checkbox, TextArea, TextField } from '../../ui/Field.tsx'
import { EmptyRow } from '../../ui/Mark.tsx'
import { Alert, Asked } from '../../ui/Panel.tsx'

type Shown = CallReply<'show-lead-form'>
/** A mistyped address is no id, which is refused as such. */
const isGone = (error: unknown) => error instanceof ApiError && (error.status === 404 || error.status === 400)

/** A form of somebody's, as a visitor without an account fills it in. */
export function LeadFormPage() {
  const { formId = '' } = useParams()
  const form = useQuery({
    queryKey: ['lead-form', formId],
    queryFn: ({ signal }) => callPublic('show-lead-form', { form_id: formId }, { signal }),
    retry: (count, error) => !isGone(error) && count < 2,
  })
  useEffect(() => {
    if (form.data) document.title = form.data.title
  }, [form.data])
  if (isGone(form.error))
    return (
      <PublicMessage
        art={<EmptyRow />}
        title="There is no form here"
        actions={
          <ButtonLink to={paths.home} size="public">
            Go to {product.name}
          </ButtonLink>
        }
      >
        <p>It may be switched off, or the address may be mistyped. Ask the person who gave it to you.</p>
      </PublicMessage>
    )
  return (
    <PublicLayout footer={false}>
      <div className="rail flex w-full flex-1 flex-col gap-8 px-5 py-8 md:px-8 md:py-12">
        <Asked query={form} skeleton="h-96" failed="This form could not be loaded" />
        {form.data ? <Fields form={form.data} formId={formId} /> : null}
      </div>
    </PublicLayout>
  )
}

function Fields({ form, formId }: { form: Shown; formId: string }) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [thanks, setThanks] = useState<string | null>(null)
  // A second press, or a try after a lost answer, is the same form.
  const sent = useRef<{ body: string; key: string } | null>(null)

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const said = (name: string) => String(data.get(name) ?? '').trim()
    const given = {
      form_id: formId,
      name: said('name'),
      email: said('email'),
      ...(said('phone') && { phone: said('phone') }),
      ...(said('company') && { company: said('company') }),
      answers: form.questions.map((_, n) => said(`answer-${n}`)),
      consent: data.has('consent'),
    }
    const body = JSON.stringify(given)
    if (sent.current?.body !== body) sent.current = { body, key: crypto.randomUUID() }
    setBusy(true)
    setFailure(null)
    try {
      setThanks((await callPublic('submit-lead-form', given, { idempotencyKey: sent.current.key })).thanks)
    } catch (error) {
      setFailure(error instanceof Error ? error.message : 'Nothing was sent. Try again.')
    } finally {
      setBusy(false)
    }
  }

  if (thanks)
    return (
      <div role="status" className="flex max-w-xl flex-col gap-2">
        <h1 className="text-28 font-semibold">Sent</h1>
        <p className="whitespace-pre-line text-muted">{thanks}</p>
      </div>
    )
  const asked = (field: 'phone' | 'company', label: string) => ({
    label: form[field] === 'required' ? label : `${label} (optional)`,
    name: field,
    required: form[field] === 'required',
  })
  return (
    <>
      <header className="flex max-w-xl flex-col gap-2">
        <h1 className="text-28 font-semibold">{form.title}</h1>
        {form.intro ? <p className="whitespace-pre-line text-muted">{form.intro}</p> : null}
      </header>
      <form onSubmit={send} className="flex max-w-xl flex-col gap-4">
        <TextField label="Your name" name="name" autoComplete="name" required maxLength={120} />
        <TextField label="Email" name="email" type="email" autoComplete="email" required maxLength={254} />
        {form.phone === 'off' ? null : <TextField {...asked('phone', 'Phone')} type="tel" autoComplete="tel" maxLength={30} />}
        {form.company === 'off' ? null : <TextField {...asked('company', 'Company')} autoComplete="organization" maxLength={120} />}
        {form.questions.map(({ label, required }, n) => (
          <TextArea
            // biome-ignore lint/suspicious/noArrayIndexKey: two questions may have the same words, and none moves.
            key={n}
            label={required ? label : `${label} (optional)`}
            name={`answer-${n}`}
            required={required}
            maxLength={2000}
          />
        ))}
        {form.consent_text ? <Checkbox name="consent">{form.consent_text}</Checkbox> : null}
        {failure ? <Alert title="Nothing was sent">{failure}</Alert> : null}
        <div>
          <Button variant="primary" size="public" type="submit" busy={busy}>
            {form.button}
          </Button>
        </div>
      </form>
    </>
  )
}
