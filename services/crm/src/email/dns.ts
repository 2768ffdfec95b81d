import { Resolver } from 'node:dns/promises'
import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/email/senders'
import { type Ctx, signedIn } from '@operon/kit/context'
import { sql } from 'kysely'
import type { CrmDb } from '../schema.ts'
import { readSender, type Senders, senderOf } from './senders.ts'
import type { SenderRow } from './transports.ts'

export type Dns = { txt(name: string): Promise<string[]>; cname(name: string): Promise<string[]> }
type Shown = Output<typeof contract.checkSender>['records'][number]

export function systemDns(): Dns {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  return {
    txt: async (name) => (await resolver.resolveTxt(name)).map((parts) => parts.join('')),
    cname: (name) => resolver.resolveCname(name),
  }
}

const NOT_THERE = new Set(['ENOTFOUND', 'ENODATA', 'NXDOMAIN'])

export async function checkSender(
  ctx: Ctx<CrmDb>,
  { sender_id }: Input<typeof contract.checkSender>,
  senders: Senders,
  dns: Dns,
): Promise<Output<typeof contract.checkSender>> {
  const sender = await readSender(ctx.db, signedIn(ctx).id, sender_id)
  const records = await Promise.all(recordsOf(sender).map((record) => lookedAt(record, dns)))
  const checks = Object.fromEntries(records.map(({ purpose, state }) => [purpose, state]))
  const row = await ctx.db
    .updateTable('email_senders')
    .set({ checks: JSON.stringify(checks) as never, checked_at: sql<Date>`now()` })
    .where('id', '=', sender.id)
    .where('user_id', '=', sender.user_id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { sender: senderOf(row, senders), records }
}

type Wanted = Pick<Shown, 'purpose' | 'type' | 'name' | 'value'> & {
  isMeant: (found: string) => boolean
  isGood: (found: string) => boolean
}
/** The records that the provider needs in the DNS of the domain. */
function recordsOf({ provider, domain, smtp_host, dkim_selector, dkim_public }: SenderRow): Wanted[] {
  const isSpf = (found: string) => /^v=spf1( |$)/i.test(found)
  const source = provider === 'mailersend' ? 'include:_spf.mailersend.net' : provider === 'smtp' ? `a:${smtp_host}` : ''
  const spf: Wanted = {
    ...{ purpose: 'spf', type: 'TXT', name: domain, value: ['v=spf1', source, '~all'].filter(Boolean).join(' ') },
    isMeant: isSpf,
    // A mail server of one's own may be named in more ways than can be looked at here.
    isGood: (found) => (provider === 'mailersend' ? found.toLowerCase().split(/\s+/).includes(source) : isSpf(found)),
  }
  const dkim: Wanted =
    provider === 'mailersend'
      ? {
          ...{ purpose: 'dkim', type: 'CNAME', name: `mlsend2._domainkey.${domain}`, value: 'mlsend2._domainkey.mailersend.net' },
          isMeant: () => true,
          isGood: (found) => found.replace(/\.$/, '').toLowerCase() === 'mlsend2._domainkey.mailersend.net',
        }
      : {
          ...{ purpose: 'dkim', type: 'TXT', name: `${dkim_selector}._domainkey.${domain}`, value: `v=DKIM1; k=rsa; p=${dkim_public}` },
          isMeant: (found) => /\bp=/.test(found),
          isGood: (found) => /\bp=([A-Za-z0-9+/=\s]*)/.exec(found)?.[1]?.replace(/\s/g, '') === dkim_public,
        }
  const dmarc: Wanted = {
    ...{ purpose: 'dmarc', type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none' },
    isMeant: (found) => /^v=DMARC1/i.test(found),
    isGood: (found) => /^v=DMARC1\s*;.*\bp\s*=\s*(none|quarantine|reject)\b/i.test(found),
  }
  return [spf, dkim, dmarc]
}

async function lookedAt({ isMeant, isGood, ...record }: Wanted, dns: Dns): Promise<Shown> {
  try {
    const all = await (record.type === 'CNAME' ? dns.cname(record.name) : dns.txt(record.name))
    const found = all
      .filter(isMeant)
      .map((each) => each.slice(0, 500))
      .slice(0, 10)
    // Two SPF records are as bad as none (RFC 7208).
    const isOne = record.purpose !== 'spf' || found.length === 1
    return { ...record, found, state: found.length === 0 ? 'missing' : isOne && found.some(isGood) ? 'ok' : 'wrong' }
  } catch (error) {
    return { ...record, found: [], state: NOT_THERE.has((error as { code?: string }).code ?? '') ? 'missing' : 'unchecked' }
  }
}
