import { Code, Copy, ExternalLink, Plus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { useCopied } from '../../../ui/copy.ts'
import { Confirm, Dialog } from '../../../ui/Dialog.tsx'
import { TextArea } from '../../../ui/Field.tsx'
import { Asked, EmptyState, Pill } from '../../../ui/Panel.tsx'
import { attempt } from '../../../ui/toast.tsx'
import { newKey } from '../queries.ts'
import { longAgo } from '../words.ts'
import { Answers } from './Answers.tsx'
import { htmlOf } from './embed.ts'
import { LeadFormDialog } from './LeadFormDialog.tsx'
import { type LeadForm, useForms, useReloadForms } from './queries.ts'

type Props = { isAdding: boolean; add: () => void; added: () => void; openContact: (id: string) => void }
type Opened = { what: 'edit' | 'delete' | 'embed' | 'answers'; form: LeadForm }

/** The forms that visitors become contacts by. */
export function Forms({ isAdding, add, added, openContact }: Props) {
  const listed = useForms()
  const reload = useReloadForms()
  const [opened, setOpened] = useState<Opened | null>(null)
  const close = () => setOpened(null)
  const shown = (what: Opened['what']) => (opened?.what === what ? opened.form : null)
  const [edited, deleted, embedded, answers] = [shown('edit'), shown('delete'), shown('embed'), shown('answers')]
  return (
    <div className="flex flex-col gap-4 pt-4">
      <Asked query={listed} skeleton="h-60" failed="Your forms could not be loaded" />
      {listed.data?.forms.length === 0 ? (
        <EmptyState
          title="No forms yet"
          action={
            <Button variant="primary" onClick={add}>
              <Plus />
              New form
            </Button>
          }
        >
          Everyone who sends a form becomes a contact. Share its link or put it on your site. It can also ask for consent to your emails.
        </EmptyState>
      ) : null}
      {listed.data?.forms.length ? (
        <ul aria-label="Forms" className="divide-y divide-line rounded-panel bg-panel hairline">
          {listed.data.forms.map((form) => (
            <Row key={form.id} form={form} open={(what) => setOpened({ what, form })} />
          ))}
        </ul>
      ) : null}
      {isAdding ? <LeadFormDialog of={null} onClose={added} onDone={reload} /> : null}
      {edited ? <LeadFormDialog of={edited} onClose={close} onDone={reload} /> : null}
      {embedded ? <Embed form={embedded} onClose={close} /> : null}
      {answers ? <Answers form={answers} onClose={close} openContact={openContact} /> : null}
      <Confirm
        open={deleted !== null}
        onClose={close}
        title={`Delete “${deleted?.title}”?`}
        action="Delete form"
        keep="Keep it"
        danger
        onConfirm={() =>
          attempt('The form was not deleted', async () => {
            await call('delete-lead-form', { form_id: deleted!.id }, { idempotencyKey: newKey() })
            reload()
          })
        }
      >
        Its link stops working, and so does the form on other sites. The contacts stay, with what they sent and agreed to.
      </Confirm>
    </div>
  )
}

function Row({ form, open }: { form: LeadForm; open: (what: Opened['what']) => void }) {
  const { copied, copy } = useCopied()
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-2 text-14 font-semibold">
          {form.title}
          {form.active ? null : <Pill>Off</Pill>}
        </p>
        <p className="text-13 text-muted">
          {form.sent === 1 ? 'Sent once' : `Sent ${form.sent} times`}
          {form.last_at ? `, last ${longAgo(form.last_at)}` : ''}
          {form.consent_text ? ' · Asks for consent' : ''}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {form.sent ? <Button onClick={() => open('answers')}>Answers</Button> : null}
        <Button onClick={() => copy(form.url)}>
          <Copy />
          {copied ? 'Copied' : 'Copy link'}
        </Button>
        <Button onClick={() => open('embed')}>
          <Code />
          Embed
        </Button>
        {form.active ? (
          <a href={new URL(form.url).pathname} target="_blank" rel="noreferrer" className={buttonClass({ variant: 'ghost' })}>
            <ExternalLink />
            Open
          </a>
        ) : null}
        <Button variant="ghost" onClick={() => open('edit')}>
          Edit
        </Button>
        <Button variant="ghost" onClick={() => open('delete')}>
          Delete
        </Button>
      </div>
    </li>
  )
}

function Embed({ form, onClose }: { form: LeadForm; onClose: () => void }) {
  const { copied, copy } = useCopied()
  const html = htmlOf(form)
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Put “${form.title}” on your site`}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button variant="primary" onClick={() => copy(html)}>
            <Copy />
            {copied ? 'Copied' : 'Copy HTML'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-14">
        <p className="text-muted">
          Paste this where the form belongs. It takes the look of your site. Copy it again after you change the form.
        </p>
        <TextArea label="HTML of the form" value={html} readOnly rows={14} className="font-mono text-12" />
      </div>
    </Dialog>
  )
}
