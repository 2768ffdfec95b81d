import type { Event } from '@operon/contracts/contract'
import * as events from '@operon/contracts/crm/email/events'
import { now } from '@operon/kit/clock'
import { newId } from '@operon/kit/ids'
import { publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import type { CampaignRow } from './campaigns.ts'
import { keepConsent } from './consents.ts'
import { pauseByItself } from './send.ts'
import { settleRecipients } from './settle.ts'

// Feedback on an email: each piece is counted once for a recipient, told as an event, and decides who gets no more of them.

export type Kind = 'delivered' | 'opened' | 'clicked' | 'replied' | 'unsubscribed' | 'hard_bounced' | 'soft_bounced' | 'complained'
export type Feedback = { kind: Kind; machine?: boolean; url?: string; detail?: string | null }
type Of = { id: string; campaign_id: string; user_id: string; email: string; name: string; variant: string | null }

const columns: Record<Kind, { at: string; count: string | null }> = {
  delivered: { at: 'delivered_at', count: 'delivered_count' },
  opened: { at: 'opened_at', count: 'opened_count' },
  clicked: { at: 'clicked_at', count: 'clicked_count' },
  replied: { at: 'replied_at', count: null },
  unsubscribed: { at: 'unsubscribed_at', count: 'unsubscribed_count' },
  hard_bounced: { at: 'bounced_at', count: 'bounced_count' },
  soft_bounced: { at: 'soft_bounced_at', count: null },
  complained: { at: 'complained_at', count: 'complained_count' },
}
const told: Partial<Record<Kind, Event & Pick<typeof events.mailOpened, 'payload'>>> = {
  opened: events.mailOpened,
  clicked: events.mailClicked,
  replied: events.mailReplied,
  unsubscribed: events.mailUnsubscribed,
  hard_bounced: events.mailBounced,
  complained: events.mailComplained,
}
const SOFT_BOUNCES = 3
/** Google's rule for bulk mail: one complaint in a thousand is too many. */
const ONE_COMPLAINT_IN = 1000

/** Returns the campaign where this changed its figures. */
export async function takeFeedback(
  trx: Trx,
  recipientId: string,
  { kind, machine = false, url = '', detail = null }: Feedback,
): Promise<CampaignRow | null> {
  const { rows: known } = await sql<Of & { state: string }>`
    select r.id, r.campaign_id, r.user_id, r.email, r.state, r.variant, c.name from email_recipients r join email_campaigns c on c.id = r.campaign_id
    where r.id = ${recipientId}`.execute(trx)
  const of = known[0]
  if (!of) return null
  // Somebody has it, so it was sent after all.
  if (of.state === 'unknown' && kind !== 'hard_bounced')
    await settleRecipients(trx, { id: of.campaign_id, user_id: of.user_id, name: of.name }, [{ id: of.id, state: 'sent' }])
  const { at, count } = machine ? { at: 'machine_opened_at', count: 'machine_count' } : columns[kind]
  if (kind === 'opened' || kind === 'clicked') {
    const isNew = await noted(trx, of, { kind, machine, url })
    if (machine && kind === 'clicked') return null
    if (isNew && kind === 'clicked') await tally(trx, of, [['link', url]])
  }
  const { rows: first } = await sql`
    update email_recipients set ${sql.ref(at)} = now() where id = ${of.id} and ${sql.ref(at)} is null returning id`.execute(trx)
  if (first.length === 0) return null
  // A recipient who clicks has opened it, also where pictures are held back.
  if (kind === 'clicked') await takeFeedback(trx, recipientId, { kind: 'opened' })
  const campaign = count
    ? ((
        await sql<CampaignRow>`update email_campaigns set ${sql.ref(count)} = ${sql.ref(count)} + 1 where id = ${of.campaign_id} returning *`.execute(
          trx,
        )
      ).rows[0] ?? null)
    : null
  if (!machine && (kind === 'opened' || kind === 'clicked'))
    await tally(trx, of, [
      [kind, `${new Date(now()).toISOString().slice(0, 13)}:00:00.000Z`],
      ['variant', `${kind} ${of.variant ?? 'a'}`],
    ])
  const event = machine ? undefined : told[kind]
  if (event)
    await publish(trx, event, of.user_id, {
      campaign_id: of.campaign_id,
      name: of.name,
      recipient_id: of.id,
      email: of.email,
      detail: detail ?? (url || null),
    })
  await suppress(trx, of, kind, detail)
  if (kind === 'complained' && campaign) await pauseOnComplaints(trx, campaign)
  return campaign
}

/** Bounded: a link counts once for a recipient, by a person and by a machine. */
async function noted(trx: Trx, { id, user_id, campaign_id }: Of, { kind, machine, url }: { kind: Kind; machine: boolean; url: string }) {
  const { rows } = await sql`
    insert into email_events (id, user_id, campaign_id, recipient_id, kind, machine, url)
    select ${newId()}, ${user_id}, ${campaign_id}, ${id}, ${kind}, ${machine}, ${url}
    where (select count(*) from email_events where recipient_id = ${id}) < ${MOST_EVENTS} on conflict do nothing returning id`.execute(trx)
  return rows.length > 0
}
const MOST_EVENTS = 200

const tally = (trx: Trx, { campaign_id, user_id }: Of, all: [what: string, of: string][]) =>
  sql`
    insert into email_tallies as t (campaign_id, user_id, what, of, n)
    select ${campaign_id}, ${user_id}, what, of, 1 from unnest(${all.map(([what]) => what)}::text[], ${all.map(([, of]) => of)}::text[]) as given (what, of)
    order by what, of
    on conflict (campaign_id, what, of) do update set n = t.n + 1`.execute(trx)

async function suppress(trx: Trx, { user_id, email, name }: Of, kind: Kind, detail: string | null): Promise<void> {
  const who = { userId: user_id, address: email }
  if (kind === 'unsubscribed') await keepConsent(trx, who, { state: 'withdrawn', evidence: `Unsubscribed from ${name}` })
  if (kind === 'complained') await keepConsent(trx, who, { state: 'complained', evidence: `Marked ${name} as spam` })
  if (kind === 'hard_bounced') await keepConsent(trx, who, { state: 'bounced', evidence: `${name} bounced${detail ? `: ${detail}` : ''}` })
  if (kind !== 'soft_bounced') return
  const { rows } = await sql`
    select from email_recipients where user_id = ${user_id} and email = ${email} and soft_bounced_at > now() - interval '180 days' limit ${SOFT_BOUNCES}`.execute(
    trx,
  )
  if (rows.length >= SOFT_BOUNCES) await keepConsent(trx, who, { state: 'bounced', evidence: 'Three emails could not be delivered' })
}

/** Counted against what has gone out so far. Whoever goes on has seen the complaints up to then. */
async function pauseOnComplaints(trx: Trx, { id, sent_count, complained_count, complaints_seen }: CampaignRow): Promise<void> {
  if (complained_count <= complaints_seen || complained_count * ONE_COMPLAINT_IN < sent_count) return
  await pauseByItself(
    trx,
    id,
    `${complained_count} of ${sent_count.toLocaleString('en-US')} recipients marked it as spam, and 1 in 1,000 is too many. Check whom you send to before you resume.`,
  )
}
