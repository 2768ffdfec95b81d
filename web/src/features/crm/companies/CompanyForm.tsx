import { type FormEvent, useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { TextArea, TextField } from '../../../ui/Field.tsx'
import { Alert } from '../../../ui/Panel.tsx'
import { toast } from '../../../ui/toast.tsx'
import { type Company, newKey } from '../queries.ts'

type Props = { company?: Company; onClose: () => void; onDone: () => Promise<unknown> }

export function CompanyForm({ company, onClose, onDone }: Props) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const of = (name: string) => String(data.get(name) ?? '').trim()
    setBusy(true)
    setFailure(null)
    try {
      const options = { idempotencyKey: newKey() }
      const given = { name: of('name'), notes: of('notes') }
      if (company) {
        const { id: company_id, version } = company
        await call('update-company', { ...given, company_id, version, domain: of('domain') || null, phone: of('phone') || null }, options)
      } else {
        const known = { ...(of('domain') && { domain: of('domain') }), ...(of('phone') && { phone: of('phone') }) }
        await call('create-company', { ...given, ...known }, options)
      }
      await onDone()
      toast.success(company ? 'Company changed' : `${given.name} added`)
      onClose()
    } catch (error) {
      setFailure((error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={company ? 'Edit company' : 'New company'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="company-form" busy={busy}>
            {company ? 'Save' : 'Add company'}
          </Button>
        </>
      }
    >
      <form id="company-form" onSubmit={save} className="flex flex-col gap-4">
        <TextField label="Name" name="name" required maxLength={120} data-first defaultValue={company?.name} />
        <TextField
          label="Domain"
          name="domain"
          maxLength={120}
          placeholder="harbour-cafe.example"
          hint="Contacts with an email address there belong to this company."
          defaultValue={company?.domain ?? ''}
        />
        <TextField label="Phone" name="phone" type="tel" maxLength={30} defaultValue={company?.phone ?? ''} />
        <TextArea label="Notes" name="notes" maxLength={2000} defaultValue={company?.notes} />
        {failure ? <Alert title={company ? 'The company was not changed' : 'The company was not added'}>{failure}</Alert> : null}
      </form>
    </Dialog>
  )
}
