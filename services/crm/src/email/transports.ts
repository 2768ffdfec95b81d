import { lookup } from 'node:dns/promises'
import { readFromApp, runAppAction } from '@operon/contracts/integrations/connections'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import { now } from '@operon/kit/clock'
import { facesPeople, sandboxIsOpen } from '@operon/kit/config'
import { actorOf, type Grant } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { isPublicAddress } from '@operon/kit/fetch'
import { newId } from '@operon/kit/ids'
import { createSmtpTransport } from '@operon/kit/mail/mailer'
import type { Runtime } from '@operon/kit/service'
import type { Selectable } from 'kysely'
import type { CrmDb } from '../schema.ts'
import { SELECTOR, SIGNED_HEADERS } from './dkim.ts'
import type { Outgoing } from './letter.ts'

export type SenderRow = Selectable<CrmDb['email_senders']>
/** The outcome of one email. `later`: it was surely not taken and may go again. `unknown`: it may have been taken, so it must not. */
export type Outcome =
  | { state: 'sent'; providerId: string | null }
  | { state: 'failed'; reason: string; hard: boolean }
  | { state: 'later'; reason: string; afterMs: number }
  | { state: 'unknown'; reason: string }
  /** The sender itself does not work: nobody else of the campaign can be emailed either. */
  | { state: 'broken'; reason: string }

export type Transport = {
  /** How many calls at once. */
  width: number
  send(mail: Outgoing): Promise<Outcome>
  /** Whether the provider has it, by its tag. False is no proof that it never arrived. */
  find(mail: { id: string; to: string; since: Date }): Promise<boolean>
  /** Signs in without sending; throws where it is refused. */
  verify(): Promise<unknown>
  close(): void
}
export type Carriers = { of(sender: SenderRow): Promise<Transport>; close(): void }

export type CarriersRt = Pick<Runtime<CrmDb, { SMTP_URL?: string | undefined }>, 'ask' | 'call' | 'kit' | 'providers' | 'vault'>

const MOST_OPEN = 50
/** The transports that are in use: a sender that was changed gets a new one. */
export function openCarriers(rt: CarriersRt): Carriers {
  const open = new Map<string, { version: number; transport: Transport }>()

  async function make(sender: SenderRow): Promise<Transport> {
    if (sender.provider === 'mailersend') return throughMailerSend(rt, sender)
    if (sender.provider === 'smtp') return throughSmtp(rt, sender, await serverOf(rt, sender), async () => false)
    if (!sandboxIsOpen(rt.kit)) throw new DomainError('sender_sandbox')
    const { url } = await rt.ask(sandboxAddress, { provider: 'smtp' })
    return throughSmtp(rt, sender, url, (mail) => isInSandbox(rt, mail))
  }

  return {
    async of(sender) {
      const known = open.get(sender.id)
      if (known?.version === sender.version) return known.transport
      known?.transport.close()
      const transport = await make(sender)
      open.set(sender.id, { version: sender.version, transport })
      if (open.size > MOST_OPEN) {
        const [oldest, { transport: gone }] = open.entries().next().value!
        open.delete(oldest)
        gone.close()
      }
      return transport
    },
    close() {
      for (const { transport } of open.values()) transport.close()
      open.clear()
    },
  }
}

/** For a call of another service in the name of an account, when no session of its own asks. */
export function actingFor(userId: string, action: string): { actor: ReturnType<typeof actorOf>; grant: Grant } {
  const grant = { id: newId(), userId, actions: [action], until: null }
  return { actor: actorOf(grant), grant }
}

function throughMailerSend(rt: CarriersRt, sender: SenderRow): Transport {
  return {
    width: 4,
    async send({ id, from, replyTo, to, subject, html, text, unsubscribe }) {
      const input = {
        from: from.email,
        from_name: from.name,
        to: to.email,
        ...(to.name && { to_name: to.name }),
        ...(replyTo && { reply_to: replyTo }),
        subject,
        html,
        text,
        tag: id,
        ...(unsubscribe && { list_unsubscribe: `<${unsubscribe}>` }),
      }
      try {
        await rt.call(
          runAppAction,
          { app: 'mailersend', action: 'send-mail', input, ...(sender.connection_id && { connection_id: sender.connection_id }) },
          { ...actingFor(sender.user_id, 'run-app-action'), idempotencyKey: `email ${id}`, deadlineMs: 30_000 },
        )
        return { state: 'sent', providerId: null }
      } catch (error) {
        return outcomeOf(error)
      }
    },
    find: (mail) => isAtMailerSend(rt, sender, mail),
    async verify() {},
    close() {},
  }
}

const PAGES = 10
/** By its tag, among what the domain has sent since. */
async function isAtMailerSend(rt: CarriersRt, sender: SenderRow, { id, since }: { id: string; since: Date }): Promise<boolean> {
  const read = (action: string, input: Record<string, unknown>) =>
    rt.call(
      readFromApp,
      { app: 'mailersend', action, input, ...(sender.connection_id && { connection_id: sender.connection_id }) },
      actingFor(sender.user_id, 'read-from-app'),
    )
  const domains = await read('list-domains', {})
  const domain = domains.rows.find(({ title }) => title.toLowerCase() === sender.domain)
  if (!domain) return false
  const [from, to] = [since.getTime() / 1000 - 60, now() / 1000 + 60].map(Math.floor)
  for (let page = 1; page <= PAGES; page++) {
    const { rows } = await read('list-mails', { domain: domain.id, from, to, page })
    if (rows.some(({ detail }) => detail?.split(' ').includes(id))) return true
    if (rows.length < 100) return false
  }
  return false
}

const BROKEN: string[] = ['app_not_connected', 'connection_broken', 'app_not_set_up']
const BEFORE: string[] = ['app_busy', 'rate_limited', 'busy', 'unavailable']
function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof DomainError)) return { state: 'unknown', reason: 'The provider did not answer' }
  const { code, message, details } = error
  if (BROKEN.includes(code)) return { state: 'broken', reason: message }
  if (BEFORE.includes(code)) {
    const seconds = Number((details as { retry_after_seconds?: number } | undefined)?.retry_after_seconds) || 5
    return { state: 'later', reason: message, afterMs: seconds * 1000 }
  }
  if (code === 'app_refused' || code === 'app_input') return { state: 'failed', reason: message.slice(0, 300), hard: false }
  return { state: 'unknown', reason: 'The provider did not answer' }
}

/** The server by the address that was looked at, so that a name cannot lead to the inside the second time. */
async function serverOf({ vault, kit }: CarriersRt, sender: SenderRow): Promise<string> {
  const { smtp_host: host, smtp_port: port, smtp_secure: secure, smtp_user: user, smtp_password: sealed } = sender
  const found = await lookup(host!, { all: true }).catch(() => [])
  const bad = found.find(({ address }) => !isPublicAddress(address) && !(address === '127.0.0.1' && !facesPeople(kit)))
  if (bad || !found[0]) throw new DomainError('sender_smtp', { message: `The mail server ${host} is not at a public address.` })
  const password = sealed ? vault.open(sealed, smtpContext(sender)) : ''
  const login = user ? `${encodeURIComponent(user)}:${encodeURIComponent(password)}@` : ''
  const address = found[0].family === 6 ? `[${found[0].address}]` : found[0].address
  return `${secure ? 'smtps' : 'smtp'}://${login}${address}:${port}?tls.servername=${encodeURIComponent(host!)}`
}
export const smtpContext = ({ id, user_id }: Pick<SenderRow, 'id' | 'user_id'>) => `email_senders:${id}:${user_id}:smtp`
export const dkimContext = ({ id, user_id }: Pick<SenderRow, 'id' | 'user_id'>) => `email_senders:${id}:${user_id}:dkim`

async function throughSmtp(
  { kit, providers, vault }: CarriersRt,
  sender: SenderRow,
  url: string,
  find: Transport['find'],
): Promise<Transport> {
  const transport = await createSmtpTransport(url)
  const { hostname } = new URL(kit.PUBLIC_URL)
  const dkim = sender.dkim_private && {
    domainName: sender.domain,
    keySelector: sender.dkim_selector ?? SELECTOR,
    privateKey: vault.open(sender.dkim_private, dkimContext(sender)),
    headerFieldNames: SIGNED_HEADERS,
  }
  return {
    width: 4,
    async send({ id, from, replyTo, to, subject, html, text, unsubscribe }) {
      const email = {
        from: { name: from.name, address: from.email },
        to: { name: to.name, address: to.email },
        ...(replyTo && { replyTo }),
        messageId: `<${id}@${hostname}>`,
        headers: {
          ...(unsubscribe && { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
          'X-Entity-Ref-ID': id,
        },
        ...{ subject, html, text },
        ...(dkim && { dkim }),
      }
      try {
        const { messageId } = await providers.call('smtp', () => transport.sendMail(email))
        return { state: 'sent', providerId: messageId ?? null }
      } catch (error) {
        return smtpOutcome(error)
      }
    },
    find,
    verify: () => transport.verify(),
    close: () => transport.close(),
  }
}

const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EDNS', 'EHOSTUNREACH', 'ENETUNREACH', 'EPROXY'])
/** A reply of the server is sure: 5xx is no, 4xx is not now. A connection that broke in the middle is neither. */
export function smtpOutcome(thrown: unknown): Outcome {
  const { code = '', responseCode, response = '', command = '' } = thrown as Record<string, any>
  const reason = String(response || (thrown as Error).message || 'The mail server did not answer').slice(0, 300)
  if (code === 'EAUTH') return { state: 'broken', reason: `The mail server refused the sign-in: ${reason}` }
  if (typeof responseCode === 'number' && responseCode >= 500)
    return { state: 'failed', reason, hard: /^RCPT/.test(command) || /\b5\.1\.\d/.test(reason) }
  // A server that closes at the end of the text may have kept it.
  if (responseCode === 421 && command === 'DATA') return { state: 'unknown', reason }
  if (typeof responseCode === 'number' && responseCode >= 400) return { state: 'later', reason, afterMs: 60_000 }
  if (code === 'EENVELOPE') return { state: 'failed', reason, hard: true }
  if (NEVER_SENT.has(code) || command === 'CONN') return { state: 'later', reason, afterMs: 15_000 }
  return { state: 'unknown', reason }
}

/** The sandbox keeps what it took, so what is unknown can be looked up there: its pages are where its payments are. */
async function isInSandbox({ ask, kit }: CarriersRt, { id, to }: { id: string; to: string }): Promise<boolean> {
  const { url } = await ask(sandboxAddress, { provider: 'stripe' })
  const response = await fetch(`${url}/sandbox/api/inbox?to=${encodeURIComponent(to)}`, { signal: AbortSignal.timeout(10_000) })
  const { messages } = (await response.json()) as { messages: { message_id: string | null }[] }
  return messages.some(({ message_id }) => message_id === `<${id}@${new URL(kit.PUBLIC_URL).hostname}>`)
}
