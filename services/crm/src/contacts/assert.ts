import { leadCreated } from '@operon/contracts/crm/events'
import { cleanName } from '@operon/contracts/names'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import { publish } from '@operon/kit/tx'
import { sql, type Transaction } from 'kysely'
import { assignCompany } from '../companies/assign.ts'
import type { CrmDb } from '../schema.ts'

export type Trx = Transaction<CrmDb & KitDb>
export type Known = {
  email: string
  name?: string | undefined
  phone?: string | null | undefined
  company?: string | null | undefined
  /** Where a new contact came from: `booking`, `form`, `sale`. */
  source: string
}

/**
 * The contact with this email address, made where the account has none: callers at once get the same one. What is known of an existing
 * contact stays; only what was empty is filled.
 */
export async function assertContact(trx: Trx, userId: string, known: Known): Promise<string> {
  const email = known.email.trim().toLowerCase()
  const id = newId()
  // Waits for another transaction that adds the same address, and then finds its contact.
  const added = await trx
    .insertInto('contact_emails')
    .values({ id: newId(), user_id: userId, email, contact_id: id })
    .onConflict((conflict) => conflict.columns(['user_id', 'email']).doNothing())
    .executeTakeFirstOrThrow()
  if (added.numInsertedOrUpdatedRows === 0n) return completeContact(trx, userId, email, known)
  const { phone = null, company = null, source } = known
  const name = cleanName(known.name ?? '').slice(0, 120) || email.slice(0, email.indexOf('@'))
  await trx.insertInto('leads').values({ id, user_id: userId, name, email, phone, company, source, status: 'new' }).execute()
  if (phone) await keepPhone(trx, userId, id, phone)
  await assignCompany(trx, userId, id)
  await publish(trx, leadCreated, userId, { lead_id: id })
  return id
}

async function completeContact(trx: Trx, userId: string, email: string, { phone = null, company = null }: Known): Promise<string> {
  const { contact_id } = await trx
    .selectFrom('contact_emails')
    .select('contact_id')
    .where('user_id', '=', userId)
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  if (phone || company) {
    const filled = await trx
      .updateTable('leads')
      .set({ phone: sql`coalesce(phone, ${phone})`, company: sql`coalesce(company, ${company})`, version: sql`version + 1` })
      .where('id', '=', contact_id)
      .where('user_id', '=', userId)
      .where((is) => is.or([...(phone ? [is('phone', 'is', null)] : []), ...(company ? [is('company', 'is', null)] : [])]))
      .returning('company')
      .executeTakeFirst()
    if (company && filled?.company === company) await assignCompany(trx, userId, contact_id)
  }
  if (phone) await keepPhone(trx, userId, contact_id, phone)
  return contact_id
}

/** Digits alone, after a plus where the country is known: how two ways to write a number are found to be one. */
const phoneKey = (phone: string) => (phone.trim().startsWith('+') ? '+' : '') + phone.replace(/\D/g, '')

export async function keepPhone(trx: Trx, userId: string, contactId: string, phone: string): Promise<void> {
  await trx
    .insertInto('contact_phones')
    .values({ id: newId(), user_id: userId, contact_id: contactId, phone: phoneKey(phone) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
