import { sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import type { CampaignRow } from './campaigns.ts'
import { address, compile, reachable } from './segments.ts'
import { stillIn } from './topics.ts'

/** Writes down who gets a campaign, once: whoever joins the segment later does not. Returns how many there are. */
export async function freezeRecipients(trx: Trx, { id, user_id, segment, topic_id, ab, reader_hour }: CampaignRow): Promise<number> {
  // A small share of few is rounded up, and each half of it gets one of the two subjects.
  const variant = ab
    ? sql`case when n <= ceil(total * ${ab.share_percent}::float8 / 100) then case when n % 2 = 1 then 'a' else 'b' end end`
    : sql`'a'`
  const { rows } = await sql<{ count: number }>`
    with known as (
      select distinct on (email) id, lower(trim(leads.email)) as email, name from leads
      where leads.user_id = ${user_id} and ${reachable} and ${stillIn(sql`${topic_id}::uuid`, address)} and ${compile(segment)} order by email, id
    ), picked as (
      select *, row_number() over (order by md5(id::text || ${id})) as n, count(*) over () as total from known
    ), zones as (
      select distinct on (lower(guest_email)) lower(guest_email) as email, guest_zone as zone from bookings
      where user_id = ${user_id} and guest_zone is not null and ${reader_hour}::int is not null order by lower(guest_email), id desc
    ), frozen as (
      insert into email_recipients (id, campaign_id, user_id, contact_id, email, name, variant, due_at)
      select uuidv7(), ${id}, ${user_id}, picked.id, picked.email, picked.name, ${variant}, ${dueAt(reader_hour, user_id)}
      from picked left join zones using (email)
      on conflict (campaign_id, email) do nothing returning 1
    )
    select count(*)::int as count from frozen`.execute(trx)
  return rows[0]!.count
}

/** The next time that it is this hour where they are: the zone they booked in, else the account's own, else UTC. */
function dueAt(hour: number | null, userId: string) {
  if (hour === null) return sql`now()`
  const zone = sql`coalesce(zones.zone, (select zone from schedules where user_id = ${userId}), 'UTC')`
  const today = sql`(date_trunc('day', now() at time zone ${zone}) + ${hour} * interval '1 hour')`
  return sql`case when ${today} at time zone ${zone} >= now() then ${today} at time zone ${zone}
    else (${today} + interval '1 day') at time zone ${zone} end`
}
