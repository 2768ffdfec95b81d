import { call } from '../../../api/call.ts'
import { TextArea, TextField } from '../../../ui/Field.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { toast } from '../../../ui/toast.tsx'
import { type Company, newKey } from '../queries.ts'

type Props = { company?: Company; onClose: () => void; onDone: () => Promise<unknown> }

export function CompanyForm({ company, onClose, onDone }: Props) {
  async function save(typed: (field: string) => string) {
    const options = { idempotencyKey: newKey() }
    const given = { name: typed('name'), notes: typed('notes') }
    const [domain, phone] = [typed('domain'), typed('phone')]
    if (company) {
      const { id: company_id, version } = company
      await call('update-company', { ...given, company_id, version, domain: domain || null, phone: phone || null }, options)
    } else await call('create-company', { ...given, ...(domain && { domain }), ...(phone && { phone }) }, options)
    await onDone()
    toast.success(company ? 'Company changed' : `${given.name} added`)
  }
  return (
    <FormDialog
      onClose={onClose}
      title={company ? 'Edit company' : 'New company'}
      submit={company ? 'Save' : 'Add company'}
      failed={company ? 'The company was not changed' : 'The company was not added'}
      save={save}
    >
      <TextField label="Name" name="name" required maxLength={120} data-first defaultValue={company?.name} />
      <TextField
        label="Domain (optional)"
        name="domain"
        maxLength={120}
        placeholder="harbour-cafe.example"
        hint="Contacts with an email address there belong to this company."
        defaultValue={company?.domain ?? ''}
      />
      <TextField label="Phone (optional)" name="phone" type="tel" maxLength={30} defaultValue={company?.phone ?? ''} />
      <TextArea label="Notes (optional)" name="notes" maxLength={2000} defaultValue={company?.notes} />
    </FormDialog>
  )
}
