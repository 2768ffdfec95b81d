import type { WireReply } from '../../core/wire.ts'

// As much of WebDAV's XML as a server of calendars speaks.

export type Said = { href: string; status?: number; props?: Record<string, string> }

export const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const plain = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&apos;', "'").replaceAll('&amp;', '&')

export function multistatus(all: Said[], token?: string): WireReply {
  const each = all.map(({ href, status, props }) => {
    const inside = Object.entries(props ?? {}).map(([name, value]) => `<${name}>${value}</${name}>`)
    const said = status
      ? `<d:status>HTTP/1.1 ${status} Gone</d:status>`
      : `<d:propstat><d:prop>${inside.join('')}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>`
    return `<d:response><d:href>${xml(href)}</d:href>${said}</d:response>`
  })
  const body = `<?xml version="1.0" encoding="utf-8"?>
<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:cs="http://calendarserver.org/ns/">${each.join('')}${token ? `<d:sync-token>${xml(token)}</d:sync-token>` : ''}</d:multistatus>`
  return { status: 207, headers: { 'content-type': 'application/xml; charset=utf-8' }, body }
}

export const hrefsIn = (body: string) => [...body.matchAll(/<(?:\w+:)?href>([^<]*)<\//g)].map(([, href]) => plain(href!.trim()))
export const tokenIn = (body: string) => plain(/<(?:\w+:)?sync-token>([^<]*)<\//.exec(body)?.[1]?.trim() ?? '')
