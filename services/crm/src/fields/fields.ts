import type { Input, Output } from '@operon/contracts/contract'
import { forgetField } from '@operon/contracts/crm/events'
import * as contract from '@operon/contracts/crm/fields'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { CrmDb } from '../schema.ts'

type Call = Ctx<CrmDb>
type Field = Selectable<CrmDb['contact_fields']>

const shown = ({ id, name, kind, options }: Field) => ({ id, name, kind, options })

export const fieldsOf = (db: Kysely<any>, userId: string): Promise<Field[]> =>
  (db as Kysely<CrmDb>)
    .selectFrom('contact_fields')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .limit(contract.MOST_FIELDS)
    .execute()

export async function listContactFields(ctx: Call): Promise<Output<typeof contract.listContactFields>> {
  return { fields: (await fieldsOf(ctx.db, signedIn(ctx).id)).map(shown) }
}

export async function createContactField(
  ctx: Call,
  { name, kind, options }: Input<typeof contract.createContactField>,
): Promise<Output<typeof contract.createContactField>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    // One at a time for a person, so that the count holds.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`contact fields ${userId}`}, 0))`.execute(trx)
    const known = await fieldsOf(trx, userId)
    if (known.length >= contract.MOST_FIELDS) throw new DomainError('fields_full')
    if (known.some((each) => each.name.toLowerCase() === name.toLowerCase())) throw new DomainError('field_exists')
    const field = { id: newId(), user_id: userId, name, kind, options: offered(kind, options) }
    await trx.insertInto('contact_fields').values(field).execute()
    return { field_id: field.id }
  })
}

function offered(kind: Field['kind'], options: string[]): string[] {
  if (kind !== 'choice') return []
  const distinct = [...new Map(options.map((option) => [option.toLowerCase(), option])).values()]
  if (distinct.length === 0) throw new DomainError('field_options')
  return distinct
}

export async function updateContactField(
  ctx: Call,
  { field_id, name, options }: Input<typeof contract.updateContactField>,
): Promise<Output<typeof contract.updateContactField>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`contact fields ${userId}`}, 0))`.execute(trx)
    const known = await fieldsOf(trx, userId)
    const field = known.find(({ id }) => id === field_id)
    if (!field) throw new DomainError('not_found')
    if (known.some((each) => each.id !== field_id && each.name.toLowerCase() === name.toLowerCase())) throw new DomainError('field_exists')
    const changed = await trx
      .updateTable('contact_fields')
      .set({ name, options: offered(field.kind, options) })
      .where('id', '=', field_id)
      .where('user_id', '=', userId)
      .returningAll()
      .executeTakeFirstOrThrow()
    return shown(changed)
  })
}

export async function deleteContactField(
  ctx: Call,
  { field_id }: Input<typeof contract.deleteContactField>,
): Promise<Output<typeof contract.deleteContactField>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('contact_fields')
      .where('id', '=', field_id)
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
    if (!numDeletedRows) throw new DomainError('not_found')
    await enqueue(trx, forgetField, { field_id, user_id: userId }, { userId })
    return { deleted: true }
  })
}

const PIECE = 2_000
/** Deletes the values of a field that is gone, a piece at a time. */
export async function forgetValues(ctx: Pick<Call, 'db' | 'signal'>, userId: string, fieldId: string): Promise<void> {
  for (let after: string | null = '00000000-0000-0000-0000-000000000000'; after; ) {
    ctx.signal.throwIfAborted()
    const { rows }: { rows: { last: string | null }[] } = await sql<{ last: string | null }>`
      with page as (select id from leads where user_id = ${userId} and id > ${after}::uuid order by id limit ${PIECE}), emptied as (
        update leads l set fields = l.fields - ${fieldId}::text from page where l.id = page.id and l.user_id = ${userId} and l.fields ? ${fieldId}::text
      ) select max(id::text) as last from page`.execute(ctx.db)
    after = rows[0]?.last ?? null
  }
}

type Given = Record<string, string | number | boolean | null>
export type Change = { set: string; unset: string[] }
/** The given values as they are kept: of fields that exist, each of its kind. An empty text empties the field. */
export async function readValues(db: Kysely<any>, userId: string, given: Given | undefined): Promise<Change | null> {
  if (!given || Object.keys(given).length === 0) return null
  const known = new Map((await fieldsOf(db, userId)).map((field) => [field.id, field]))
  const set: Record<string, string | number | boolean> = {}
  const unset: string[] = []
  for (const [id, value] of Object.entries(given)) {
    const field = known.get(id)
    if (!field) throw new DomainError('field_value', { message: 'One of these fields is not there any more. Load the page again.' })
    if (value === null || value === '') unset.push(id)
    else set[id] = fitted(field, value)
  }
  return { set: JSON.stringify(set), unset }
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
export function fitted({ name, kind, options }: Field, value: string | number | boolean): string | number | boolean {
  const wrong = (needs: string) => new DomainError('field_value', { message: `${name} needs ${needs}.` })
  if (kind === 'number') {
    if (typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e15) return value
    throw wrong('a number')
  }
  if (kind === 'yes_no') {
    if (typeof value === 'boolean') return value
    throw wrong('yes or no')
  }
  if (typeof value !== 'string') throw wrong('a text')
  const text = value.trim()
  if (kind === 'date') {
    const at = new Date(`${text}T00:00:00Z`)
    if (DAY.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)) return text
    throw wrong('a date')
  }
  if (kind === 'choice') {
    const option = options.find((each) => each.toLowerCase() === text.toLowerCase())
    if (option !== undefined) return option
    throw wrong('one of its options')
  }
  if (/\p{Cc}/u.test(text.replace(/\n/g, ''))) throw wrong('a text')
  return text
}

/** The values of a row with a change. */
export const changed = ({ set, unset }: Change) => sql<never>`(leads.fields - ${unset}::text[]) || ${set}::jsonb`
