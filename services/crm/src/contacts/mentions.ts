import type { Output } from '@operon/contracts/contract'
import type { showDeal } from '@operon/contracts/crm/deals'
import type { MentionKind } from '@operon/contracts/crm/mentions'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { type Kysely, sql } from 'kysely'
import type { Trx } from './assert.ts'
import { addActivity } from './timeline.ts'

export type Mentioned = { kind: MentionKind; id: string }
type Note = { id: string; contactId: string; text: string; at: Date }
type Span = { starts: number; length: number }
type Named = Mentioned & { name: string | null }

/** Notes down what a note mentions, and tells the contacts among them in their timelines. */
export async function keepMentions(trx: Trx, userId: string, note: Note, mentioned: Mentioned[]): Promise<void> {
  if (!mentioned.length) return
  const named = await namesOf(trx, userId, mentioned)
  const taken: Span[] = []
  // The longest names first: "@Ann" is no mention of Ann where "@Anna" stands.
  for (const it of named.toSorted((one, other) => (other.name?.length ?? 0) - (one.name?.length ?? 0))) {
    if (it.name === null) throw new DomainError('not_found')
    const span = placeOf(note.text, `@${it.name}`, taken)
    if (!span) throw new DomainError('mention_missing', { message: `Write “@${it.name}” where the note mentions it.` })
    taken.push(span)
    await keep(trx, userId, note.id, it, span)
  }
  await tellContacts(trx, userId, note, named)
}

async function namesOf(trx: Trx, userId: string, mentioned: Mentioned[]): Promise<Named[]> {
  const { rows } = await sql<Named>`
    select m.kind, m.id, coalesce(l.name, c.name, d.title) as name
    from unnest(${mentioned.map(({ kind }) => kind)}::text[], ${mentioned.map(({ id }) => id)}::uuid[]) with ordinality m (kind, id, n)
      left join leads l on m.kind = 'contact' and l.id = m.id and l.user_id = ${userId}
      left join companies c on m.kind = 'company' and c.id = m.id and c.user_id = ${userId} and c.deleted_at is null
      left join deals d on m.kind = 'deal' and d.id = m.id and d.user_id = ${userId} and d.deleted_at is null
    order by m.n`.execute(trx)
  return rows
}

function placeOf(text: string, name: string, taken: Span[]): Span | null {
  for (let starts = text.indexOf(name); starts >= 0; starts = text.indexOf(name, starts + 1))
    if (!taken.some((other) => starts < other.starts + other.length && other.starts < starts + name.length))
      return { starts, length: name.length }
  return null
}

const keep = (trx: Trx, userId: string, activityId: string, { kind, id }: Mentioned, span: Span) =>
  trx
    .insertInto('note_mentions')
    .values({ id: newId(), user_id: userId, activity_id: activityId, [`${kind}_id`]: id, ...span })
    .execute()

/** The entry in another's timeline goes with the note, whose id it has as its event. */
async function tellContacts(trx: Trx, userId: string, { id, contactId, at }: Note, named: Named[]): Promise<void> {
  const others = new Set(named.filter((it) => it.kind === 'contact' && it.id !== contactId).map((it) => it.id))
  if (!others.size) return
  const [self] = await namesOf(trx, userId, [{ kind: 'contact', id: contactId }])
  const before = 'Mentioned in a note on '
  for (const other of [...others].sort()) {
    const entry = await addActivity(trx, userId, { contactId: other, kind: 'change', text: `${before}${self!.name}`, at, eventId: id })
    if (entry) await keep(trx, userId, entry, self!, { starts: before.length, length: self!.name!.length })
  }
}

type Mention = Mentioned & Span & { name: string }
/** The records that these entries mention, by their names of now. A deleted one is left out, and keeps the name that it is written with. */
export async function mentionsIn(db: Kysely<any>, userId: string, activityIds: string[]): Promise<Map<string, Mention[]>> {
  const { rows } = await sql<Mention & { activity_id: string }>`
    select m.activity_id, m.starts, m.length, coalesce(l.name, c.name, d.title) as name, coalesce(l.id, c.id, d.id) as id,
      case when l.id is not null then 'contact' when c.id is not null then 'company' else 'deal' end as kind
    from note_mentions m
      left join leads l on l.id = m.contact_id and l.user_id = m.user_id
      left join companies c on c.id = m.company_id and c.user_id = m.user_id and c.deleted_at is null
      left join deals d on d.id = m.deal_id and d.user_id = m.user_id and d.deleted_at is null
    where m.activity_id = any(${activityIds}::uuid[]) and m.user_id = ${userId} and coalesce(l.id, c.id, d.id) is not null
    order by m.starts`.execute(db)
  const found = new Map<string, Mention[]>()
  for (const { activity_id, ...mention } of rows) found.set(activity_id, [...(found.get(activity_id) ?? []), mention])
  return found
}

const SHOWN = 20
type Mentioning = NonNullable<Output<typeof showDeal>['mentions']>
/** The latest notes that mention a company or a deal. */
export async function notesAbout(db: Kysely<any>, userId: string, { kind, id }: Mentioned): Promise<Mentioning> {
  const { rows } = await sql<Omit<Mentioning[number], 'at'> & { at: Date }>`
    select a.id as activity_id, a.contact_id, l.name as contact_name, a.text, a.at from note_mentions m
      join activities a on a.id = m.activity_id and a.user_id = m.user_id join leads l on l.id = a.contact_id and l.user_id = m.user_id
    where m.user_id = ${userId} and m.${sql.ref(`${kind}_id`)} = ${id} order by m.id desc limit ${SHOWN}`.execute(db)
  return rows.map(({ at, ...note }) => ({ ...note, at: at.toISOString() }))
}
