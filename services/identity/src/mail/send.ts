import type { Payload } from '@operon/contracts/contract'
import type * as identity from '@operon/contracts/identity/events'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import type { JobRun } from '@operon/kit/jobs/jobs'
import { secretsOf } from '../codes/one-time.ts'
import type { Deps } from '../deps.ts'
import { letterOf, renderNotice } from './templates.ts'

export async function sendMail({ rt, mailer }: Deps, { id, payload }: JobRun<Payload<typeof identity.sendMail>>): Promise<void> {
  const { PRODUCT_NAME: product, PUBLIC_URL: home } = rt.kit
  const { token, code } = secretsOf(rt.vault, id, payload.pkce ?? false)
  const link = linkTo(home, payload.verify_type ?? '', token, payload.redirect_to)
  const letter = letterOf(payload.template, { product, home, link, code, detail: payload.detail ?? {} })
  await mailer.send({ id, to: payload.to, letter })
}

export function linkTo(home: string, type: string, token: string, redirectTo: string | null | undefined): string {
  const url = new URL(`${home}/auth/v1/verify`)
  url.searchParams.set('token', token)
  url.searchParams.set('type', type)
  url.searchParams.set('redirect_to', redirectTo ?? home)
  return url.href
}

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
