import type { Output } from '@operon/contracts/contract'
import type { updateContact } from '@operon/contracts/crm/contacts'
import { HALF_LIFE_DAYS, HOT_DAYS, HOT_POINTS, WARM_DAYS } from '@operon/contracts/crm/heat'
import { type RawBuilder, sql } from 'kysely'

type Contact = Output<typeof updateContact>
export type ContactRow = Omit<Contact, 'created_at' | 'last_activity_at'> & { created_at: Date; last_activity_at: Date }

const hotSince = sql`now() - ${HOT_DAYS} * interval '1 day'`
const warmSince = sql`now() - ${WARM_DAYS} * interval '1 day'`
/** By its id alone (`offset 0`): beside others of an account that has just grown, any index of the account looks as good, and is read through. */
const companyNow = (column: 'id' | 'name') =>
  sql`(select ${sql.ref(`c.${column}`)} from (select * from companies where id = leads.company_id offset 0) c where c.user_id = leads.user_id and c.deleted_at is null)`
export const contactColumns = sql`id, name, email, phone, coalesce(${companyNow('name')}, company) as company, ${companyNow('id')} as company_id, job_title, status, source, tags, fields, last_activity_at, created_at, version,
  case when hot_until > ${hotSince} then 'hot' when hot_until > ${warmSince} then 'warm' else 'cold' end as temperature`

/** The same as a condition that the index of `hot_until` answers. */
export const isTemperature: Record<Contact['temperature'], RawBuilder<unknown>> = {
  hot: sql`hot_until > ${hotSince}`,
  warm: sql`hot_until <= ${hotSince} and hot_until > ${warmSince}`,
  cold: sql`hot_until <= ${warmSince}`,
}

export const halved = (at: RawBuilder<unknown>) =>
  sql`power(2::double precision, greatest(-60, extract(epoch from (${at} - now()))::double precision / ${HALF_LIFE_DAYS * 86_400}))`
export const pointsNow = sql<number>`round(${HOT_POINTS} * ${halved(sql`hot_until`)})::int`
export const pointsOf = sql<number>`round(sum(points * ${halved(sql`at`)}))::int`

export const contactOf = ({ created_at, last_activity_at, ...row }: ContactRow): Contact => ({
  ...row,
  created_at: created_at.toISOString(),
  last_activity_at: last_activity_at.toISOString(),
})
