import type { Input, Output } from '@operon/contracts/contract'
import { type checkEmail as contract, MOST_LINKS_CHECKED } from '@operon/contracts/crm/email/checks'
import type { EmailDocument } from '@operon/contracts/crm/email/document'
import { type Finding, findingsOf, linksIn, renderedOf } from '@operon/contracts/crm/email/findings'
import { safeUrl } from '@operon/contracts/crm/email/inline'
import { fillFields } from '@operon/contracts/crm/email/merge'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { GuardedFetch } from '@operon/kit/fetch'
import type { Runtime } from '@operon/kit/service'
import type { CrmDb } from '../schema.ts'
import { readCampaign } from './campaigns.ts'

type Reply = Output<typeof contract>
type Link = Reply['links'][number]
export type Checks = Pick<Runtime, 'cache'> & { fetch: GuardedFetch }
const CHECKS_AN_HOUR = 120
const MOST_FINDINGS = 300

/** Checks the document by itself, then its links and the domain of its sender. */
export async function checkEmail(ctx: Ctx<CrmDb>, input: Input<typeof contract>, { cache, fetch }: Checks): Promise<Reply> {
  const { id: userId } = signedIn(ctx)
  const { subject, document, sender_id } = await emailOf(ctx, userId, input)
  const turn = await cache.take(`email checks of ${userId}`, CHECKS_AN_HOUR, 3_600_000)
  if (!turn.ok) throw new DomainError('email_checks')
  const places = new Map<string, string>()
  for (const { url, block_id } of linksIn(document)) {
    const to = safeUrl(fillFields(url, {}))
    if (to && /^https?:/i.test(to) && !places.has(to)) places.set(to, block_id)
  }
  const links = await Promise.all([...places.keys()].slice(0, MOST_LINKS_CHECKED).map((url) => lookedAt(url, fetch)))
  const findings = [
    ...findingsOf(subject, document),
    ...links.flatMap((link): Finding[] => linkFinding(link, places.get(link.url)!)),
    ...(await domainFindings(ctx, userId, sender_id)),
  ].slice(0, MOST_FINDINGS)
  return { ok: findings.every(({ level }) => level !== 'stops'), findings, bytes: renderedOf(document).bytes, links }
}

type Email = { subject: string; document: EmailDocument; sender_id: string | null }
async function emailOf(ctx: Ctx<CrmDb>, userId: string, { campaign_id, subject, document }: Input<typeof contract>): Promise<Email> {
  if (document) return { subject: subject ?? '', document, sender_id: null }
  if (!campaign_id) throw new DomainError('campaign_incomplete')
  const kept = await readCampaign(ctx.db, userId, campaign_id)
  return { subject: subject ?? kept.subject, document: kept.document, sender_id: kept.sender_id }
}

/** Pages that turn programs away may well be open to people. */
const CLOSED_TO_PROGRAMS = new Set([401, 403, 405, 406, 429, 451, 501, 503, 999])
async function lookedAt(url: string, fetch: GuardedFetch): Promise<Link> {
  const look = async (method: 'HEAD' | 'GET') => {
    const response = await fetch(url, { method, deadlineMs: 5_000, tries: 1, maxBytes: 64 * 1024 })
    await response.body?.cancel()
    return response.status
  }
  try {
    let status = await look('HEAD')
    // Many servers have no HEAD.
    if (status >= 400) status = await look('GET')
    if (status < 400) return { url, state: 'ok', status }
    return { url, state: CLOSED_TO_PROGRAMS.has(status) ? 'unchecked' : 'broken', status }
  } catch (error) {
    const late = (error as Error).name === 'TimeoutError' || (error as Error).name === 'AbortError'
    return { url, state: late ? 'unchecked' : 'broken', status: null }
  }
}

function linkFinding({ url, state, status }: Link, block_id: string): Finding[] {
  const shown = url.length > 80 ? `${url.slice(0, 79)}…` : url
  if (state === 'broken')
    return [{ code: 'link_broken', level: 'warns', text: `${shown} does not open${status ? ` (it answers ${status})` : ''}.`, block_id }]
  if (state === 'unchecked')
    return [{ code: 'link_unchecked', level: 'warns', text: `${shown} could not be checked. Open it yourself.`, block_id }]
  return []
}

const RECORDS = { spf: 'SPF', dkim: 'DKIM', dmarc: 'DMARC' } as const
/** By the last look at it: `check-sender` looks again. */
async function domainFindings({ db }: Ctx<CrmDb>, userId: string, senderId: string | null): Promise<Finding[]> {
  const sender = await db
    .selectFrom('email_senders')
    .select(['domain', 'provider', 'checks', 'checked_at'])
    .where('user_id', '=', userId)
    .$if(senderId !== null, (of) => of.where('id', '=', senderId!))
    .orderBy('is_default', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (!sender || sender.provider === 'sandbox') return []
  const finding = (text: string): Finding[] => [{ code: 'domain', level: 'warns', text, block_id: null }]
  if (!sender.checked_at)
    return finding(`The DNS records of ${sender.domain} have not been checked yet. Without them, many emails land in spam.`)
  const missing = (['spf', 'dkim', 'dmarc'] as const).filter((name) => sender.checks[name] !== 'ok').map((name) => RECORDS[name])
  return missing.length ? finding(`${sender.domain} has no working ${missing.join(', ')} record, so many emails land in spam.`) : []
}
