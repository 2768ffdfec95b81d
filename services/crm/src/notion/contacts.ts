import { DomainError } from '@operon/kit/errors'
import { sql } from 'kysely'
import { assertContact, type Trx } from '../contacts/assert.ts'
import { changeContact, MOST_CONTACTS } from '../contacts/change.ts'
import type { Kind } from './kind.ts'
import { taken } from './match.ts'
import { byField } from './schema.ts'

/** A contact and a row find each other by the email address alone. */
export const contacts: Kind = {
  table: 'leads',
  records: sql`select id, user_id, version, name, email, phone, company, job_title, email is not null as adds from leads`,
  unique: 'email',

  async usable(trx, { user_id }, there, own) {
    const values = Object.fromEntries(byField(there).map(([field, value]) => [field, taken(field, value)]))
    const { email } = values
    if (own && email && email !== own.email && !(await isFree(trx, user_id, email, own.id))) values.email = undefined
    return values
  },

  /** A contact that has a row already gets no second one, unless the first is gone. */
  async find(trx, { id, user_id }, there) {
    const email = taken('email', there.email ?? null)
    if (!email) return 'unusable'
    const known = await contactAt(trx, user_id, email)
    if (known) {
      const other = await trx
        .selectFrom('notion_links')
        .select(['id', 'gone'])
        .where('sync_id', '=', id)
        .where('record_id', '=', known)
        .executeTakeFirst()
      if (other && !other.gone) return 'unusable'
      if (other) await trx.deleteFrom('notion_links').where('id', '=', other.id).execute()
      return { id: known }
    }
    const counted = await trx.selectFrom('contact_counts').select('contacts').where('user_id', '=', user_id).executeTakeFirst()
    if (counted && counted.contacts >= MOST_CONTACTS) throw new DomainError('contacts_full')
    const name = taken('name', there.name ?? null)
    const made = await assertContact(trx, user_id, {
      ...{ email, source: 'notion', ...(name && { name }) },
      ...{ phone: taken('phone', there.phone ?? null) ?? null, company: taken('company', there.company ?? null) ?? null },
    })
    return { id: made }
  },

  change: (trx, userId, id, { name, ...others }) => changeContact(trx, userId, { contact_id: id, ...(name && { name }), ...others }),
}

export async function contactAt(trx: Trx, userId: string, email: string): Promise<string | undefined> {
  const known = await trx
    .selectFrom('contact_emails')
    .select('contact_id')
    .where('user_id', '=', userId)
    .where('email', '=', email)
    .executeTakeFirst()
  return known?.contact_id
}

/** Of no contact but this one. */
const isFree = async (trx: Trx, userId: string, email: string, contactId: string) =>
  ((await contactAt(trx, userId, email)) ?? contactId) === contactId
