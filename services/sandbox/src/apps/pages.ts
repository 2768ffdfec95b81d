import { randomBytes } from 'node:crypto'
import { html, page } from '../core/page.ts'
import { testPeople } from '../oauth/people.ts'
import type { VendorWire } from './grants.ts'

export function problemOf(wire: VendorWire, fields: URLSearchParams, publicUrl: string): string | undefined {
  const back = fields.get('redirect_uri') ?? ''
  if (!fields.get('client_id')) return 'client_id is missing.'
  if (!URL.canParse(back) || new URL(back).origin !== new URL(publicUrl).origin || !new URL(back).pathname.startsWith('/connect/'))
    return 'redirect_uri is not registered for this client.'
  if (fields.get('response_type') !== 'code') return 'response_type must be "code".'
  if (wire.requiresPkce && !fields.get('code_challenge')) return 'code_challenge is required.'
  if (fields.has('code_challenge') && fields.get('code_challenge_method') !== 'S256') return 'code_challenge_method must be S256.'
  return undefined
}

export const refusal = (reason: string) =>
  page({
    title: 'Request refused',
    status: 400,
    layout: 'narrow',
    body: html`<h1>This request was refused</h1><div class="alert">${reason}</div><p class="muted">The page that sent you here has to be corrected. Nothing was shared.</p>`,
  })

export function consentPage(wire: VendorWire, path: string, fields: URLSearchParams, problem?: string) {
  const scopes = (fields.get('scope') ?? '').split(/[\s,]+/).filter(Boolean)
  return page({
    title: `Connect ${wire.name}`,
    layout: 'narrow',
    strip: `Standing in for ${wire.name}`,
    body: html`<h1>Let Operon into ${wire.name}?</h1><p class="muted">This is not ${wire.name}; choose or make up whose account it is.</p>
${problem ? html`<div class="alert" role="alert">${problem}</div>` : ''}
<form method="post" action="${path}">${[...fields].filter(([name]) => !['email', 'person', 'decision'].includes(name)).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="panel"><label for="person">Test person</label><select id="person" name="person">${testPeople.map((person) => html`<option value="${person.email}">${person.name}, ${person.email}</option>`)}</select>
<label for="email">Or another email address</label><input id="email" name="email" type="email" autocomplete="off"></div>
${scopes.length ? html`<p class="faint">It asks for: ${scopes.join(', ')}</p>` : ''}
<div class="row"><button class="main" name="decision" value="approve">Approve</button><button name="decision" value="deny">Deny</button></div></form>`,
  })
}

/** Where an account over there makes a token: a new one at each look. */
export const tokensPage = () => {
  const token = `mlsn.sandbox_${randomBytes(8).toString('hex')}`
  return page({
    title: 'API tokens',
    layout: 'narrow',
    strip: 'Standing in for MailerSend',
    body: html`<h1>API tokens</h1><p class="muted">This is not MailerSend. Copy this token and paste it into Operon; its account has one verified domain.</p>
<div class="panel"><label for="token">New token</label><input id="token" readonly value="${token}"></div>`,
  })
}
