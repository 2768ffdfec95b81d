import type { Payload } from '@operon/contracts/contract'
import { stopFactorRecoveryPage } from '@operon/contracts/identity/auth'
import type * as identity from '@operon/contracts/identity/events'
import type { JobRun } from '@operon/kit/jobs/jobs'
import { secretsOf, takeOver } from '../codes/one-time.ts'
import type { Deps } from '../deps.ts'
import { waitForTurn } from './pacing.ts'
import { letterOf, renderNotice } from './templates.ts'

export async function sendMail(deps: Deps, job: JobRun<Payload<typeof identity.sendMail>>): Promise<void> {
  const { rt, mailer } = deps
  const { id, payload } = job
  await waitForTurn(deps, job, payload.template)
  if (payload.waits && !(await takeOver(rt.db, id))) return
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
  // As GoTrue writes it: a query may hold both signs, and clients look for the address as they gave it.
  return url.href.replaceAll('%3A', ':').replaceAll('%2F', '/')
}

/** A text message, on Twilio's wire. */
export async function sendSms(deps: Deps, job: JobRun<Payload<typeof identity.sendSms>>): Promise<void> {
  const { rt } = deps
  const { id, payload } = job
  await waitForTurn(deps, job, payload.notice ?? null)
  const product = rt.kit.PRODUCT_NAME
  const text = payload.notice
    ? renderNotice(payload.notice, { product, home: rt.kit.PUBLIC_URL, link: rt.kit.PUBLIC_URL, detail: {} })
    : `${secretsOf(rt.vault, id).code} is your ${product} code.`
  await deps.texter.send(payload.to, text)
}

/** Word of something newer, by email or text message. */
export async function sendNotice(deps: Deps, job: JobRun<Payload<typeof identity.sendNotice>>): Promise<void> {
  const { rt } = deps
  const { id, payload } = job
  await waitForTurn(deps, job, payload.template)
  const { PRODUCT_NAME: product, PUBLIC_URL: home } = rt.kit
  const { template, via, to, recovery_id: recoveryId, detail } = payload
  const link = recoveryId ? stopLink(home, secretsOf(rt.vault, recoveryId).token) : home
  if (via === 'sms') return deps.texter.send(to, renderNotice(template, { product, home, link, detail }))
  await deps.mailer.send({ id, to, letter: letterOf(template, { product, home, link, code: '', detail }) })
}

const stopLink = (home: string, token: string) => `${home}${stopFactorRecoveryPage.path}?token=${token}`
