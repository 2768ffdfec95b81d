import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/email/senders'
import { listConnections, readFromApp } from '@operon/contracts/integrations/connections'
import { usageOf } from '@operon/kit/allowance'
import { sandboxIsOpen } from '@operon/kit/config'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { CrmDb } from '../schema.ts'
import { makeDkimKey, SELECTOR } from './dkim.ts'
import { lineOf } from './letter.ts'
import { actingFor, type Carriers, type CarriersRt, dkimContext, type SenderRow, smtpContext } from './transports.ts'

export type Senders = { rt: CarriersRt; carriers: Carriers }
type Db = Ctx<CrmDb>['db']
const MOST_SENDERS = 20
export const webhookContext = ({ id, user_id }: Pick<SenderRow, 'id' | 'user_id'>) => `email_senders:${id}:${user_id}:webhook`

type Connected = { id: string; account: string; failure: string | null }
/** The healthiest MailerSend account; null where none works. */
async function mailerSendOf({ rt }: Senders, userId: string, connectionId?: string | null): Promise<Connected | null> {
  const { connections } = await rt.call(listConnections, { app: 'mailersend' }, actingFor(userId, 'list-connections'))
  const working = connections.filter(
    ({ id, state }) => (state === 'connected' || state === 'degraded') && (!connectionId || id === connectionId),
  )
  return working.find(({ state }) => state === 'connected') ?? working[0] ?? null
}

/** The sender: the one that was chosen, the default, or else the first verified domain of the connected MailerSend account. */
export async function senderFor(db: Db, senders: Senders, userId: string, chosen: string | null): Promise<SenderRow> {
  const known = await db
    .selectFrom('email_senders')
    .selectAll()
    .where('user_id', '=', userId)
    .$if(chosen !== null, (of) => of.where('id', '=', chosen!))
    .orderBy('is_default', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (known && known.provider !== 'mailersend') return known
  const connected = await mailerSendOf(senders, userId, known?.connection_id)
  if (!connected) throw new DomainError('mailersend_first')
  return known ?? firstSender(db, senders, userId, connected)
}

async function firstSender(db: Db, senders: Senders, userId: string, { id: connection_id }: Connected): Promise<SenderRow> {
  const [domain] = await verifiedDomains(senders, userId, connection_id)
  if (!domain) throw new DomainError('sender_address', { message: 'Verify a domain at MailerSend first. Emails are sent from it.' })
  const host = await db.selectFrom('hosts').select('name').where('user_id', '=', userId).executeTakeFirst()
  return keepSender(db, userId, {
    ...{ provider: 'mailersend', name: lineOf(host?.name || domain), email: `hello@${domain}`, domain, connection_id, is_default: true },
  })
}

async function verifiedDomains({ rt }: Senders, userId: string, connectionId: string): Promise<string[]> {
  const { rows } = await rt.call(
    readFromApp,
    { app: 'mailersend', action: 'list-domains', input: {}, connection_id: connectionId },
    actingFor(userId, 'read-from-app'),
  )
  return rows.filter(({ detail }) => detail === 'Verified').map(({ title }) => title.toLowerCase())
}

type Given = Partial<SenderRow> & Pick<SenderRow, 'provider' | 'name' | 'email' | 'domain'>
const keepSender = (db: Db, userId: string, given: Given): Promise<SenderRow> =>
  inTransaction(db, async (trx) => {
    const { is_default = false, ...row } = given
    const sender = await trx
      .insertInto('email_senders')
      .values({ id: newId(), user_id: userId, ...row } as never)
      .returningAll()
      .executeTakeFirstOrThrow()
    const others = await trx.selectFrom('email_senders').select('id').where('user_id', '=', userId).limit(2).execute()
    return is_default || others.length === 1 ? makeDefault(trx, sender) : sender
  })

async function makeDefault(db: Db, { id, user_id }: SenderRow): Promise<SenderRow> {
  await db.updateTable('email_senders').set({ is_default: false }).where('user_id', '=', user_id).where('is_default', '=', true).execute()
  return db
    .updateTable('email_senders')
    .set({ is_default: true })
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function saveSender(
  ctx: Ctx<CrmDb>,
  given: Input<typeof contract.saveSender>,
  senders: Senders,
): Promise<Output<typeof contract.saveSender>> {
  const { id: userId } = signedIn(ctx)
  const { sender_id, provider, name, email, reply_to, smtp, webhook_secret, make_default } = given
  const before = sender_id ? await readSender(ctx.db, userId, sender_id) : null
  if (!before) await demandRoom(ctx.db, userId)
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const connection_id = provider === 'mailersend' ? await connectionFor(senders, userId, domain, given.connection_id) : null
  if (provider === 'sandbox' && !sandboxIsOpen(senders.rt.kit)) throw new DomainError('sender_sandbox')
  if (provider === 'smtp' && !smtp && before?.provider !== 'smtp') throw new DomainError('sender_smtp')
  const own = { id: sender_id ?? newId(), user_id: userId }
  const { vault } = senders.rt
  // Another domain is signed with another key.
  const isNewKey = provider !== 'mailersend' && (!before?.dkim_private || before.domain !== domain)
  const key = isNewKey ? await makeDkimKey() : null
  const row = {
    ...{ provider, name, email, domain, connection_id },
    ...(reply_to !== undefined && { reply_to }),
    ...(smtp && {
      ...{ smtp_host: smtp.host, smtp_port: smtp.port, smtp_secure: smtp.secure, smtp_user: smtp.user },
      // Left empty it stays, unless it would go to another server.
      ...((smtp.password || before?.smtp_host !== smtp.host) && { smtp_password: vault.seal(smtp.password, smtpContext(own)) }),
    }),
    ...(key && { dkim_selector: SELECTOR, dkim_public: key.publicKey, dkim_private: vault.seal(key.privateKey, dkimContext(own)) }),
    ...(webhook_secret && { webhook_secret: vault.seal(webhook_secret, webhookContext(own)) }),
  }
  const saved = before
    ? await changeSender(ctx.db, before, row as Partial<SenderRow>)
    : await keepSender(ctx.db, userId, { ...row, id: own.id, is_default: make_default } as Given)
  if (smtp) await demandServer(ctx.db, senders, saved, !before)
  return senderOf(make_default && !saved.is_default ? await inTransaction(ctx.db, (trx) => makeDefault(trx, saved)) : saved, senders)
}

async function changeSender(db: Db, { id, user_id, domain, checks }: SenderRow, row: Partial<SenderRow>): Promise<SenderRow> {
  return db
    .updateTable('email_senders')
    .set({
      ...row,
      checks: JSON.stringify(row.domain === domain ? checks : UNCHECKED),
      version: sql`version + 1`,
    } as never)
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .returningAll()
    .executeTakeFirstOrThrow()
}
const UNCHECKED = { spf: 'unchecked', dkim: 'unchecked', dmarc: 'unchecked' }

async function connectionFor(senders: Senders, userId: string, domain: string, asked: string | undefined): Promise<string> {
  const connected = await mailerSendOf(senders, userId, asked)
  if (!connected) throw new DomainError('mailersend_first')
  if (!(await verifiedDomains(senders, userId, connected.id)).includes(domain)) throw new DomainError('sender_address')
  return connected.id
}

/** A new one that cannot sign in is not kept. */
async function demandServer(db: Db, { carriers }: Senders, sender: SenderRow, isNew: boolean): Promise<void> {
  try {
    await (await carriers.of(sender)).verify()
  } catch (error) {
    if (isNew) await db.deleteFrom('email_senders').where('id', '=', sender.id).where('user_id', '=', sender.user_id).execute()
    if (error instanceof DomainError) throw error
    throw new DomainError('sender_smtp', { details: { said: String((error as Error).message).slice(0, 200) } })
  }
}

async function demandRoom(db: Db, userId: string) {
  const kept = await db.selectFrom('email_senders').select('id').where('user_id', '=', userId).limit(MOST_SENDERS).execute()
  if (kept.length >= MOST_SENDERS) throw new DomainError('senders_full')
}

export async function readSender(db: Db, userId: string, senderId: string): Promise<SenderRow> {
  const row = await db.selectFrom('email_senders').selectAll().where('id', '=', senderId).where('user_id', '=', userId).executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  return row
}

export async function deleteSender(ctx: Ctx<CrmDb>, { sender_id }: Input<typeof contract.deleteSender>): Promise<{ deleted: boolean }> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    await readSender(trx, userId, sender_id)
    const busy = await trx
      .selectFrom('email_campaigns')
      .select('id')
      .where('user_id', '=', userId)
      .where('sender_id', '=', sender_id)
      .where('status', 'in', ['sending', 'paused', 'scheduled'])
      .limit(1)
      .execute()
    if (busy.length) throw new DomainError('sender_in_use')
    await trx
      .updateTable('email_campaigns')
      .set({ sender_id: null })
      .where('user_id', '=', userId)
      .where('sender_id', '=', sender_id)
      .execute()
    await trx
      .updateTable('email_sequences')
      .set({ sender_id: null })
      .where('user_id', '=', userId)
      .where('sender_id', '=', sender_id)
      .execute()
    await trx.deleteFrom('email_senders').where('id', '=', sender_id).where('user_id', '=', userId).execute()
    return { deleted: true }
  })
}

const COUNTED = 1_000
export async function emailStatus(ctx: Ctx<CrmDb>, senders: Senders): Promise<Output<typeof contract.emailStatus>> {
  const { id: userId } = signedIn(ctx)
  const rows = await ctx.db
    .selectFrom('email_senders')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .limit(MOST_SENDERS)
    .execute()
  const connected = await mailerSendOf(senders, userId).catch(() => null)
  const { used, reserved, limit } = await usageOf(ctx.db, userId, 'emails')
  const { rows: suppressed } = await sql`
    select from consents where user_id = ${userId} and channel = 'email' and state <> 'given' limit ${COUNTED}`.execute(ctx.db)
  return {
    ready: Boolean(connected) || rows.some(({ provider }) => provider !== 'mailersend'),
    mailersend: { connected: Boolean(connected), account: connected?.account ?? null, failure: connected?.failure ?? null },
    sandbox: sandboxIsOpen(senders.rt.kit),
    senders: rows.map((row) => senderOf(row, senders)),
    emails: { used, reserved, limit },
    suppressed: suppressed.length,
  }
}

export const senderOf = (row: SenderRow, { rt }: Senders): Output<typeof contract.saveSender> => {
  const { id, provider, name, email, reply_to, domain, checks, checked_at, is_default, webhook_secret } = row
  return {
    ...{ sender_id: id, provider, name, email, reply_to, domain, checks, is_default },
    checked_at: checked_at?.toISOString() ?? null,
    webhook_url: provider === 'mailersend' ? `${rt.kit.PUBLIC_URL}/webhooks/mailersend/${id}` : null,
    webhook_set: Boolean(webhook_secret),
  }
}
