import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/email/sending'
import { usageOf } from '@operon/kit/allowance'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { sql } from 'kysely'
import type { CrmDb } from '../schema.ts'
import { type CampaignRow, readCampaign } from './campaigns.ts'
import { type Fields, letterOf, personOf } from './letter.ts'
import { linksOf } from './links.ts'
import { address, compile, countSegment, noteOn, reachable } from './segments.ts'
import { demandContent } from './send.ts'
import { type Senders, senderFor } from './senders.ts'
import { stillIn } from './topics.ts'
import type { SenderRow } from './transports.ts'

const noSender = { name: '', email: 'you@example.com', reply_to: null } as SenderRow
const preview = '#'
/** Links that lead nowhere and count nothing. */
const inertLinks = { unsubscribe: preview, preferences: preview, pixel: '', track: (url: string) => url }

export async function previewCampaign(
  ctx: Ctx<CrmDb>,
  { campaign_id }: Input<typeof contract.previewCampaign>,
  senders: Senders,
): Promise<Output<typeof contract.previewCampaign>> {
  const { id: userId } = signedIn(ctx)
  const campaign = await readCampaign(ctx.db, userId, campaign_id)
  const { sender, missing } = await senderFor(ctx.db, senders, userId, campaign.sender_id).then(
    (found) => ({ sender: found, missing: wordsOf(() => demandContent(campaign)) }),
    (error: unknown) => ({ sender: null, missing: wordsOf(() => raise(error)) }),
  )
  const counts = await countSegment(ctx.db, userId, campaign.segment, campaign.topic_id)
  const { used, reserved, limit } = await usageOf(ctx.db, userId, 'emails')
  const first = await firstOf(ctx, campaign)
  const mail =
    first &&
    letterOf(
      campaign,
      sender ?? noSender,
      { id: newId(), email: first.email, variant: 'a' },
      personOf(first.name, first.email, first),
      inertLinks,
    )
  const left = limit === null ? null : Math.max(0, limit - used - reserved)
  return {
    ...{ name: campaign.name, subject: campaign.subject, recipients: counts.reachable, left_out: counts.contacts - counts.reachable },
    left_topic: counts.left_topic,
    emails_left: left,
    from: sender && `${sender.name} <${sender.email}>`,
    missing:
      missing ??
      (counts.reachable === 0 ? ((await noteOn(ctx.db, userId, campaign.segment)) ?? new DomainError('campaign_empty').message) : null) ??
      (left !== null && left < counts.reachable ? new DomainError('limit_emails').message : null),
    first: mail && { to: mail.to.email, subject: mail.subject, html: mail.html, text: mail.text },
  }
}

const raise = (error: unknown): never => {
  throw error
}
function wordsOf(check: () => void): string | null {
  try {
    check()
    return null
  } catch (error) {
    if (error instanceof DomainError) return error.message
    throw error
  }
}

async function firstOf(
  { db }: Ctx<CrmDb>,
  { user_id, segment, topic_id }: CampaignRow,
): Promise<({ name: string; email: string } & Fields) | null> {
  const { rows } = await sql<{ name: string; email: string } & Fields>`
    select name, lower(trim(email)) as email, company, job_title, phone from leads
    where leads.user_id = ${user_id} and ${compile(segment)} and ${reachable} and ${stillIn(sql`${topic_id}::uuid`, address)} order by id desc limit 1`.execute(
    db,
  )
  return rows[0] ?? null
}

const TESTS_AN_HOUR = 20
export async function sendTestCampaign(
  ctx: Ctx<CrmDb>,
  { campaign_id }: Input<typeof contract.sendTestCampaign>,
  senders: Senders,
  { cache, vault, kit }: Pick<Runtime, 'cache' | 'vault' | 'kit'>,
): Promise<Output<typeof contract.sendTestCampaign>> {
  const { id: userId, email } = signedIn(ctx)
  const campaign = await readCampaign(ctx.db, userId, campaign_id)
  const sender = await senderFor(ctx.db, senders, userId, campaign.sender_id)
  demandContent(campaign)
  const own = email ?? (await ctx.db.selectFrom('people').select('email').where('user_id', '=', userId).executeTakeFirst())?.email
  if (!own) throw new DomainError('campaign_provider', { message: 'Your account has no email address to send it to.' })
  const turn = await cache.take(`test mails of ${userId}`, TESTS_AN_HOUR, 3_600_000)
  if (!turn.ok) throw new DomainError('test_mail_limit')
  const first = await firstOf(ctx, campaign)
  const id = newId()
  const { unsubscribe, preferences } = linksOf(vault, kit.PUBLIC_URL, id)
  const person = first ? personOf(first.name, own, first) : personOf('', own, { company: null, job_title: null, phone: null })
  const mail = letterOf(campaign, sender, { id, email: own, variant: 'a' }, person, { ...inertLinks, unsubscribe, preferences })
  const outcome = await (await senders.carriers.of(sender)).send({ ...mail, subject: `[Test] ${mail.subject}`.slice(0, 300) })
  if (outcome.state === 'failed' || outcome.state === 'broken' || outcome.state === 'later')
    throw new DomainError('campaign_provider', { message: `The email provider did not take it: ${outcome.reason}` })
  return { to: own }
}
