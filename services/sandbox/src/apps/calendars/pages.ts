import { html, page } from '../../core/page.ts'
import type { Table } from '../../core/state.ts'
import { form, type Route, redirect, route } from '../../core/wire.ts'
import type { AppGrant, AppObject } from '../grants.ts'
import { iso } from '../operation.ts'
import { empty, eventsOf, GOOGLE, GRAPH, nextSeq, put, tellAll } from './state.ts'

/** The calendars as their owners see them over there. */
export function calendarPages(objects: Table<AppObject>, grants: Table<AppGrant>): Route[] {
  const hosts: Record<string, string> = { google: GOOGLE, microsoft: GRAPH }
  const at = (vendor: string, email: string) => {
    const host = hosts[vendor] ?? ''
    const account = `${host}:${email}`
    return {
      host,
      list: (kind: string) => objects.newest().filter((each) => each.account === account && each.kind === kind),
      set: (id: string, kind: string, data: Record<string, any>) =>
        objects.put({ id: `${account}/${id}`, account, kind, data: { ...data, key: id } }),
    }
  }
  const owners = () => [
    ...new Set(
      grants
        .newest()
        .filter(({ vendor, used, scope }) => used && hosts[vendor] && /calendar/i.test(scope))
        .map(({ vendor, email }) => `${vendor} ${email}`),
    ),
  ]
  const show = () =>
    page({
      title: 'Calendars',
      body: html`<h1>Calendars</h1><p class="muted">The events as they stand at Google and Microsoft. Change one here to see what happens on the other side.</p>${owners()
        .slice(0, 20)
        .map((owner) => {
          const [vendor, email] = owner.split(' ') as [string, string]
          const rows = eventsOf(at(vendor, email).list('event')).filter(({ gone }) => !gone)
          return html`<h2>${vendor}, ${email}</h2><table><tbody>${rows
            .slice(-50)
            .map(
              (event) =>
                html`<tr><td><form method="post" action="/sandbox/apps/calendars/${vendor}/${event.key}" class="row"><input type="hidden" name="email" value="${email}"><input name="title" aria-label="Title" value="${event.title}"><input name="start" aria-label="Start" value="${event.start}"><input name="end" aria-label="End" value="${event.end}"><button>Save there</button><button name="gone" value="yes">Delete there</button></form></td></tr>`,
            )}</tbody></table><form method="post" action="/sandbox/apps/calendars/${vendor}/new" class="row"><input type="hidden" name="email" value="${email}"><input type="hidden" name="start" value="${iso(1440)}"><input type="hidden" name="end" value="${iso(1470)}"><input name="title" aria-label="Title of a new event" placeholder="A new event"><button>Add there</button></form>`
        })}`,
    })
  return [
    route('GET', '/sandbox/apps/calendars', show),
    route('POST', '/sandbox/apps/calendars/:vendor/:event', (request) => {
      const fields = form(request)
      const { vendor, event: key } = request.params as { vendor: string; event: string }
      const email = fields.get('email') ?? ''
      if (!owners().includes(`${vendor} ${email}`)) return { status: 404, body: 'There is no such calendar.' }
      const account = at(vendor, email)
      const before = eventsOf(account.list('event')).find((event) => event.key === key)
      if (!before && key !== 'new') return { status: 404, body: 'There is no such event.' }
      const given = Object.fromEntries(
        ['title', 'start', 'end'].filter((name) => fields.get(name)).map((name) => [name, fields.get(name)!]),
      )
      put(account, { ...(before ?? empty(`there${nextSeq().toString(32)}`)), ...given, gone: fields.has('gone') })
      tellAll(account)
      return redirect('/sandbox/apps/calendars')
    }),
  ]
}
