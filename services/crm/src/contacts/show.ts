import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/contacts'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { type Kysely, sql } from 'kysely'
import type { CrmDb } from '../schema.ts'
import { mentionsIn } from './mentions.ts'
import { type ContactRow, contactColumns, contactOf, pointsNow, pointsOf } from './rows.ts'
import { openTasks } from './tasks.ts'

const PAGE = 30

export async function readContact(db: Kysely<any>, userId: string, contactId: string): Promise<ContactRow & { points: number }> {
  const { rows } = await sql<ContactRow & { points: number }>`
    select ${contactColumns}, ${pointsNow} as points from leads where id = ${contactId} and user_id = ${userId}`.execute(db)
  if (!rows[0]) throw new DomainError('not_found')
  return rows[0]
}

export async function showContact(
  ctx: Ctx<CrmDb>,
  { contact_id }: Input<typeof contract.showContact>,
): Promise<Output<typeof contract.showContact>> {
  const { id: userId } = signedIn(ctx)
  const { points, ...row } = await readContact(ctx.db, userId, contact_id)
  const [reasons, emails, tasks, timeline, consent] = await Promise.all([
    sql<{ kind: string; count: number; points: number; last_at: Date }>`
      select kind, count(*)::int as count, ${pointsOf} as points, max(at) as last_at from (
        select kind, points, at from activities where user_id = ${userId} and contact_id = ${contact_id} order by at desc, id desc limit 500
      ) latest where points > 0 group by kind having ${pointsOf} > 0 order by points desc, kind limit 3`.execute(ctx.db),
    ctx.db
      .selectFrom('contact_emails')
      .select('email')
      .where('user_id', '=', userId)
      .where('contact_id', '=', contact_id)
      .orderBy('id')
      .limit(20)
      .execute(),
    openTasks(ctx.db, userId, contact_id),
    timelineOf(ctx.db, userId, contact_id),
    row.email
      ? ctx.db
          .selectFrom('consents')
          .select(['state', 'evidence', 'at'])
          .where('user_id', '=', userId)
          .where('channel', '=', 'email')
          .where('address', '=', row.email)
          .executeTakeFirst()
      : undefined,
  ])
  return {
    contact: contactOf(row),
    points,
    reasons: reasons.rows.map(({ last_at, ...reason }) => ({ ...reason, last_at: last_at.toISOString() })),
    emails: emails.map(({ email }) => email),
    tasks,
    ...timeline,
    email_consent: consent ? { ...consent, at: consent.at.toISOString() } : null,
  }
}

export async function contactTimeline(
  ctx: Ctx<CrmDb>,
  { contact_id, cursor }: Input<typeof contract.contactTimeline>,
): Promise<Output<typeof contract.contactTimeline>> {
  const { id: userId } = signedIn(ctx)
  await readContact(ctx.db, userId, contact_id)
  return timelineOf(ctx.db, userId, contact_id, cursor)
}

async function timelineOf(db: Kysely<any>, userId: string, contactId: string, cursor?: string) {
  const place = /^([\d-]{10} [\d:.]{8,15}\+00)\|([0-9a-f-]{36})$/.exec(Buffer.from(cursor ?? '', 'base64url').toString())
  const { rows } = await sql<{ id: string; kind: string; text: string; at: Date; place: string }>`
    select id, kind, text, at, to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00' as place from activities
    where user_id = ${userId} and contact_id = ${contactId} ${place ? sql`and (at, id) < (${place[1]}::timestamptz, ${place[2]}::uuid)` : sql``}
    order by at desc, id desc limit ${PAGE + 1}`.execute(db)
  const last = rows.length > PAGE ? rows[PAGE - 1] : undefined
  const shown = rows.slice(0, PAGE)
  const ids = shown.map(({ id }) => id)
  const mentions = await mentionsIn(db, userId, ids)
  return {
    activities: shown.map(({ id, kind, text, at }) => {
      const within = mentions.get(id)
      return { id, kind, text, at: at.toISOString(), ...(within && { mentions: within }) }
    }),
    cursor: last ? Buffer.from(`${last.place}|${last.id}`).toString('base64url') : null,
  }
}
