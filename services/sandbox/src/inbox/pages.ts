import { html, page } from '../core/page.ts'
import { json, multipart, type Route, redirect, route } from '../core/wire.ts'
import type { Inbox, Message } from './inbox.ts'
import { type InboundMail, replyAddressOf, sendReply } from './reply.ts'

export function inboxPages(inbox: Inbox, inbound?: InboundMail): Route[] {
  const canReply = (message: Message) => inbound !== undefined && replyAddressOf(message) !== null
  return [
    route('POST', '/sandbox/inbox/:id/reply', async (request) => {
      const message = inbox.get(request.params.id!)
      const said = await multipart(request)
      const text = String(said.get('text') ?? '').trim()
      const files = said.getAll('files').filter((value) => typeof value !== 'string' && value.size > 0) as File[]
      if (!message || !text || !inbound || !canReply(message)) return redirect(`/sandbox/inbox/${request.params.id}`)
      const taken = await sendReply(inbound, message, text, files).catch(() => false)
      return redirect(`/sandbox/inbox/${message.id}?replied=${taken ? 'yes' : 'no'}`)
    }),
    route('GET', '/sandbox/inbox', ({ query }) => listPage(inbox.list({ to: query.get('to') }), query.get('to') ?? '')),
    route('POST', '/sandbox/inbox/clear', () => {
      inbox.remove({})
      return redirect('/sandbox/inbox')
    }),
    route('GET', '/sandbox/inbox/:id', ({ params, query }) =>
      withMessage(inbox, params.id!, (message) => messagePage(message, canReply(message), query.get('replied'))),
    ),
    route('GET', '/sandbox/inbox/:id/html', ({ params }) => withMessage(inbox, params.id!, rawHtml)),
    route('GET', '/sandbox/api/inbox', ({ query }) =>
      json({ messages: inbox.list({ to: query.get('to'), kind: query.get('kind'), limit: Number(query.get('limit') ?? 100) }) }),
    ),
    route('GET', '/sandbox/api/inbox/:id', ({ params }) => withMessage(inbox, params.id!, (message) => json(message))),
    route('DELETE', '/sandbox/api/inbox', ({ query }) => json({ deleted: inbox.remove({ to: query.get('to') }) })),
    route('DELETE', '/sandbox/api/inbox/:id', ({ params }) => json({ deleted: inbox.remove({ id: params.id! }) })),
  ]
}

function withMessage(inbox: Inbox, id: string, show: (message: Message) => ReturnType<typeof page>) {
  const message = inbox.get(id)
  if (message) return show(message)
  return page({
    title: 'No such message',
    status: 404,
    body: html`<h1>There is no such message</h1><p class="muted">It was deleted, or the inbox was cleared. <a href="/sandbox/inbox">Back to the inbox</a></p>`,
  })
}

function listPage(messages: Message[], to: string) {
  return page({
    title: 'Inbox',
    script: true,
    body: html`<div class="head"><div><h1>Inbox</h1><p class="muted">Every email and text message the product has sent, newest first.</p></div>
<form method="post" action="/sandbox/inbox/clear"><button>Clear the inbox</button></form></div>
<form method="get" class="row"><input name="to" value="${to}" placeholder="Filter by recipient" aria-label="Filter by recipient"></form>
<div data-refresh>${
      messages.length === 0
        ? html`<div class="panel"><p class="muted">No messages${to ? html` for ${to}` : ''} yet. A sign-up, a sign-in link or a campaign will show here within a second.</p></div>`
        : html`<table><thead><tr><th>To</th><th>Subject and sender</th><th class="num">Sent</th></tr></thead><tbody>${messages.map(
            (each) =>
              html`<tr><td>${each.to.join(', ')}</td><td><a href="/sandbox/inbox/${each.id}">${each.subject}</a> ${each.kind === 'sms' ? html`<span class="pill">SMS</span>` : ''}<div class="faint">${each.from_name || each.from}</div></td><td class="num faint"><span class="line">${each.at.slice(0, 10)} </span>${each.at.slice(11, 19)}</td></tr>`,
          )}</tbody></table>`
    }</div>`,
  })
}

const replied: Record<string, string> = {
  yes: 'Your answer was sent and taken.',
  no: 'Your answer was sent, and not taken. The address may be an old one.',
}

function replyForm(message: Message, said: string | null) {
  return html`<h2>Reply</h2>${said && replied[said] ? html`<p role="status">${replied[said]}</p>` : ''}
<form method="post" action="/sandbox/inbox/${message.id}/reply" class="panel" enctype="multipart/form-data"><label for="text">Your answer</label><p><textarea id="text" name="text" rows="4" required maxlength="5000"></textarea></p><p><label for="files">Files</label> <input id="files" name="files" type="file" multiple></p><button class="main">Reply</button></form>`
}

function messagePage(message: Message, canReply: boolean, said: string | null) {
  return page({
    title: message.subject,
    body: html`<p><a class="muted" href="/sandbox/inbox">Inbox</a></p><h1>${message.subject}</h1>
<p class="muted">From ${message.from_name} ${message.from} to ${message.to.join(', ')}, ${message.at.slice(0, 19).replace('T', ' ')} UTC</p>
${message.html ? html`<iframe class="mail" title="The message" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${`<base target="_blank">${message.html}`}"></iframe>` : ''}
${message.links.length > 0 ? html`<h2>Links</h2><ul class="plain">${message.links.map((link) => html`<li><a href="${link}" rel="noreferrer">${link}</a></li>`)}</ul>` : ''}
${message.attachments.length > 0 ? html`<h2>Attachments</h2><ul class="plain">${message.attachments.map((each) => html`<li>${each.filename} <span class="faint">${each.type}</span></li>`)}</ul>` : ''}
${canReply ? replyForm(message, said) : ''}
<h2>Text</h2><div class="panel"><pre>${message.text || 'This message has no text part.'}</pre></div>
<p class="faint mono">${message.message_id ?? message.id}</p>`,
  })
}

/** The mail as its own document, in an origin of its own and without scripts. */
function rawHtml(message: Message) {
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: https:",
      'x-content-type-options': 'nosniff',
    },
    body: message.html ?? '',
  }
}
