import type { Payload } from '@operon/contracts/contract'
import type * as identity from '@operon/contracts/identity/events'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import type { JobRun } from '@operon/kit/jobs/jobs'
import { createTransport, type Transporter } from 'nodemailer'
import { secretsOf } from '../codes/one-time.ts'
import type { Deps } from '../deps.ts'
import { renderLetter, renderNotice } from './templates.ts'

type Mail = JobRun<Payload<typeof identity.sendMail>>

/** Sends one letter. The Message-ID is the job's id, so that a retry after a lost answer is seen as the same mail. */
export async function sendMail(deps: Deps, { id, payload }: Mail): Promise<void> {
  const { rt } = deps
  const home = rt.kit.PUBLIC_URL
  const { token, code } = secretsOf(rt.vault, id, payload.pkce ?? false)
  const link = linkTo(home, payload.verify_type ?? '', token, payload.redirect_to)
  const letter = renderLetter(payload.template, { product: rt.kit.PRODUCT_NAME, home, link, code, detail: payload.detail ?? {} })
  const host = new URL(home).hostname
  const from = deps.config.MAIL_FROM ?? `${rt.kit.PRODUCT_NAME} <no-reply@${host.includes('.') ? host : 'operon.example'}>`
  const transport = await transportOf(deps)
  try {
    await transport.sendMail({
      from,
      to: payload.to,
      ...letter,
      messageId: `<${id}@${host}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  } catch (error) {
    forgetTransport(deps)
    throw error
  }
}

export function linkTo(home: string, type: string, token: string, redirectTo: string | null | undefined): string {
  const url = new URL(`${home}/auth/v1/verify`)
  url.searchParams.set('token', token)
  url.searchParams.set('type', type)
  url.searchParams.set('redirect_to', redirectTo ?? home)
  return url.href
}

const transports = new WeakMap<Deps, Promise<Transporter>>()

/** The configured server, else the sandbox's inbox. */
function transportOf(deps: Deps): Promise<Transporter> {
  const kept = transports.get(deps)
  if (kept) return kept
  const opened = openTransport(deps)
  opened.catch(() => forgetTransport(deps))
  transports.set(deps, opened)
  return opened
}

async function openTransport({ rt, config }: Deps): Promise<Transporter> {
  const url = config.SMTP_URL ?? (await rt.ask(sandboxAddress, { provider: 'smtp' })).url
  const { protocol, hostname, port, username, password, searchParams } = new URL(url)
  return createTransport({
    host: hostname,
    port: Number(port || 25),
    secure: protocol === 'smtps:',
    pool: true,
    maxConnections: 2,
    ignoreTLS: searchParams.get('tls') === 'off' || !config.SMTP_URL,
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
  })
}

function forgetTransport(deps: Deps) {
  void transports.get(deps)?.then(
    (transport) => transport.close(),
    () => {},
  )
  transports.delete(deps)
}

export const closeMail = forgetTransport

/** A text message, on Twilio's wire. */
export async function sendSms({ rt, config }: Deps, { id, payload }: JobRun<Payload<typeof identity.sendSms>>): Promise<void> {
  const base = config.SMS_API_URL ?? (await rt.ask(sandboxAddress, { provider: 'sms' })).url
  const product = rt.kit.PRODUCT_NAME
  const text = payload.notice
    ? renderNotice(payload.notice, { product, home: rt.kit.PUBLIC_URL })
    : `${secretsOf(rt.vault, id).code} is your ${product} code.`
  const response = await fetch(`${base}/2010-04-01/Accounts/${config.SMS_ACCOUNT_SID}/Messages.json`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${config.SMS_ACCOUNT_SID}:${config.SMS_AUTH_TOKEN}`).toString('base64')}` },
    body: new URLSearchParams({ To: `+${payload.to}`, From: config.SMS_FROM, Body: text }),
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new Error(`the SMS provider answered ${response.status}`)
}
