import { benchContacts } from './crm-contacts.ts'
import { benchSending } from './crm-sending.ts'

export async function bench(options: { short: boolean }) {
  await benchContacts(options)
  await benchSending(options)
}
