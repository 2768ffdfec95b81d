import { call } from '../../api/call.ts'
import { Options, SelectField, TextField } from '../../ui/Field.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { FieldInput } from '../../ui/OwnField.tsx'
import { typedAs, useFields } from '../../ui/ownFields.ts'
import { toast } from '../../ui/toast.tsx'
import { type Contact, newKey } from './queries.ts'
import { capital, statuses } from './words.ts'

type Props = { open: boolean; onClose: () => void; onDone: (id: string) => Promise<unknown>; contact?: Contact }

/** Adds a contact, or changes the one that is given. */
export function ContactForm({ open, onClose, onDone, contact }: Props) {
  const own = useFields()
  async function save(of: (field: string) => string) {
    const tags = [
      ...new Set(
        of('tags')
          .split(',')
          .map((tag) => tag.trim())
          .filter(Boolean),
      ),
    ]
    const status = of('status') as (typeof statuses)[number]
    const texts = ['email', 'phone', 'company', 'job_title'] as const
    const options = { idempotencyKey: newKey() }
    const values = Object.fromEntries(own.map((field) => [field.id, typedAs(field, of(`own-${field.id}`))]))
    if (contact) {
      const fields = Object.fromEntries(texts.map((name) => [name, of(name) || null]))
      const { id: contact_id, version } = contact
      await call('update-contact', { contact_id, version, name: of('name'), ...fields, status, tags, fields: values }, options)
      await onDone(contact_id)
      toast.success('Contact changed')
    } else {
      const fields = Object.fromEntries(texts.filter((name) => of(name)).map((name) => [name, of(name)]))
      const { contact_id } = await call('create-contact', { name: of('name'), ...fields, status, tags, fields: values }, options)
      await onDone(contact_id)
      toast.success(`${of('name')} added`)
    }
  }
  const kept = (value: string | null | undefined) => ({ defaultValue: value ?? '' })
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={contact ? 'Edit contact' : 'New contact'}
      submit={contact ? 'Save' : 'Add contact'}
      failed={contact ? 'The contact was not changed' : 'The contact was not added'}
      save={save}
      className="grid gap-4 sm:grid-cols-2"
    >
      <TextField label="Name" name="name" required maxLength={120} data-first fieldClassName="sm:col-span-2" {...kept(contact?.name)} />
      <TextField label="Email" name="email" type="email" maxLength={254} {...kept(contact?.email)} />
      <TextField label="Phone" name="phone" type="tel" maxLength={30} placeholder="+351 910 000 000" {...kept(contact?.phone)} />
      <TextField label="Company" name="company" maxLength={120} {...kept(contact?.company)} />
      <TextField label="Job title" name="job_title" maxLength={120} {...kept(contact?.job_title)} />
      <SelectField label="Status" name="status" defaultValue={statuses.find((each) => each === contact?.status) ?? 'new'}>
        <Options of={statuses.map((each) => [each, capital(each)])} />
      </SelectField>
      <TextField label="Tags" name="tags" placeholder="vip, spring" hint="Separated by commas" {...kept(contact?.tags.join(', '))} />
      {own.map((field) => (
        <FieldInput key={field.id} field={field} name={`own-${field.id}`} value={contact?.fields[field.id]} />
      ))}
    </FormDialog>
  )
}
