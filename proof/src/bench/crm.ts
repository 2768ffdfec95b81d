import { benchContacts } from './crm-contacts.ts'

export async function bench(options: { short: boolean }) {
  await benchContacts(options)
}
