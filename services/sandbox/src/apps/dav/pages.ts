import { html, page } from '../../core/page.ts'
import { form, type Route, redirect, route } from '../../core/wire.ts'
import { CALENDARS, type DavStore } from './server.ts'

const stamp = (iso: string) => `${new Date(iso).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
const line = (text: string) => text.replace(/([\\;,])/g, '\\$1').replace(/\r?\n/g, '\\n')
const fieldOf = (data: string, name: string) => new RegExp(`^${name}[^:\r\n]*:(.*)$`, 'm').exec(data)?.[1]?.trim() ?? ''

/** The calendars as their owner sees them on the other device: files are put, changed and removed, and sync tokens forgotten. */
export function davPages(store: DavStore, address: () => string): Route[] {
  const show = () =>
    page({
      title: 'CalDAV calendars',
      body: html`<h1>CalDAV calendars</h1><p class="muted">A server at <code>${address()}</code>. Any email address is a user name, with a password that begins with <code>sandbox_</code>. Below <code>/olddav/</code> it gives no sync tokens.</p>${store
        .accounts()
        .slice(0, 20)
        .map(
          (email) =>
            html`<h2>${email}</h2><form method="post" action="/sandbox/apps/dav/forget" class="row"><input type="hidden" name="email" value="${email}"><button>Forget its sync tokens</button></form>${Object.entries(
              CALENDARS,
            ).map(
              ([calendar, title]) =>
                html`<h3>${title}</h3><table><tbody>${store
                  .of(email, calendar)
                  .filter(({ gone }) => !gone)
                  .slice(-50)
                  .map(
                    ({ name, data }) =>
                      html`<tr><td>${fieldOf(data, 'SUMMARY')}</td><td>${fieldOf(data, 'DTSTART')}</td><td><form method="post" action="/sandbox/apps/dav/put" class="row"><input type="hidden" name="email" value="${email}"><input type="hidden" name="calendar" value="${calendar}"><input type="hidden" name="name" value="${name}"><button name="gone" value="yes">Delete there</button></form></td></tr>`,
                  )}</tbody></table>`,
            )}`,
        )}`,
    })
  const put = (request: Parameters<Route['handle']>[0]) => {
    const fields = form(request)
    const [email, calendar, name] = ['email', 'calendar', 'name'].map((field) => fields.get(field) ?? '') as [string, string, string]
    if (!email || !Object.hasOwn(CALENDARS, calendar) || !name) return { status: 400, body: 'Say whose file of which calendar it is.' }
    const before = store.get(email.toLowerCase(), calendar, name)?.data ?? ''
    const given = fields.get('data')
    const summary = fields.get('title') ?? fieldOf(before, 'SUMMARY')
    const [start, end] = [fields.get('start'), fields.get('end')].map((at) => (at ? stamp(at) : null))
    const data =
      given ??
      [
        ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Sandbox//Calendars//EN', 'BEGIN:VEVENT'],
        ...[`UID:${fieldOf(before, 'UID') || name}`, `DTSTAMP:${stamp(new Date().toISOString())}`, `SUMMARY:${line(summary)}`],
        ...[
          `DTSTART:${start ?? fieldOf(before, 'DTSTART')}`,
          `DTEND:${end ?? fieldOf(before, 'DTEND')}`,
          'END:VEVENT',
          'END:VCALENDAR',
          '',
        ],
      ].join('\r\n')
    store.put(email.toLowerCase(), calendar, name, fields.has('gone') ? null : data)
    return redirect('/sandbox/apps/dav')
  }
  return [
    route('GET', '/sandbox/apps/dav', show),
    route('POST', '/sandbox/apps/dav/put', put),
    route('POST', '/sandbox/apps/dav/forget', (request) => {
      store.forget((form(request).get('email') ?? '').toLowerCase())
      return redirect('/sandbox/apps/dav')
    }),
  ]
}
