import { now } from '@operon/kit/clock'
import { z } from 'zod'
import { type AppTrigger, appears, changes, field, listOf, row } from '../app.ts'
import { mailRow, mailThere } from '../google.ts'
import { ofVoice } from '../money.ts'

const nothing = z.object({})
const seconds = (at: Date) => Math.floor(at.getTime() / 1000)
const withoutTags = (html: unknown) =>
  String(html ?? '')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

export const gmail: Record<string, AppTrigger> = {
  'new-mail': appears(
    nothing,
    (_input, since) => ({ path: '/messages', query: { q: `in:inbox after:${seconds(since)}`, maxResults: 100 } }),
    ({ messages }) => listOf(messages).map(({ id }) => row(id, id)),
    { each: { request: mailThere, row: mailRow } },
  ),
}

export const outlook: Record<string, AppTrigger> = {
  'new-mail': appears(
    nothing,
    (_input, since) => ({
      path: '/me/mailFolders/inbox/messages',
      query: {
        $filter: `receivedDateTime ge ${since.toISOString()}`,
        $orderby: 'receivedDateTime desc',
        $top: 100,
        $select: 'id,subject,bodyPreview,receivedDateTime,webLink',
      },
    }),
    ({ value }) =>
      listOf(value).map((each) => row(each.id, each.subject, { detail: each.bodyPreview, url: each.webLink, at: each.receivedDateTime })),
    { timed: true },
  ),
}

export const slack: Record<string, AppTrigger> = {
  'new-message': appears(
    z.object({ channel: field.text('Channel, as C01ABCDEF', 100) }),
    ({ channel }, since) => ({ path: '/conversations.history', query: { channel, oldest: seconds(since), limit: 100 } }),
    ({ messages }) =>
      listOf(messages)
        .filter(({ subtype }) => !subtype)
        .map((each) => row(each.ts, each.text, { detail: each.user, at: new Date(Number(each.ts) * 1000).toISOString() })),
    { timed: true },
  ),
}

export const teams: Record<string, AppTrigger> = {
  'new-message': appears(
    z.object({ team: field.text('Team', 100), channel: field.text('Channel', 200) }),
    ({ team, channel }) => ({
      path: `/teams/${encodeURIComponent(team)}/channels/${encodeURIComponent(channel)}/messages`,
      query: { $top: 50 },
    }),
    ({ value }) =>
      listOf(value).map((each) =>
        row(each.id, withoutTags(each.body?.content), { detail: each.from?.user?.displayName, url: each.webUrl, at: each.createdDateTime }),
      ),
    { timed: true },
  ),
}

const LOST = ['hard_bounced', 'soft_bounced', 'spam_complaints']
export const mailersend: Record<string, AppTrigger> = {
  'not-delivered': appears(
    z.object({ domain: field.text('Domain', 60) }),
    ({ domain }, since) => ({
      path: `/activity/${encodeURIComponent(domain)}`,
      query: { limit: 100, date_from: seconds(since), date_to: Math.floor(now() / 1000) + 60 },
    }),
    ({ data }) =>
      listOf(data)
        .filter(({ type }) => LOST.includes(type))
        .map((each) =>
          row(each.id, each.email?.subject, {
            detail: `${each.type.replace('_', ' ')}: ${each.email?.recipient?.email ?? ''}`,
            at: each.created_at,
          }),
        ),
    { timed: true },
  ),
}

const over = (call: any) => ['ended', 'error', 'not_connected'].includes(call.call_status ?? call.status)
export const voice: Record<string, AppTrigger> = {
  'call-ended': appears(
    nothing,
    () => ({ path: '/call', query: { limit: 100 } }),
    (calls) =>
      ofVoice(calls)
        .filter(over)
        .map((each) =>
          row(each.call_id ?? each.id, each.call_analysis?.call_summary ?? each.analysis?.summary ?? 'A call', {
            detail: each.disconnection_reason ?? each.endedReason,
          }),
        ),
  ),
}

export const googleCalendar: Record<string, AppTrigger> = {
  'event-changed': changes(
    nothing,
    (_input, since) => ({
      path: '/calendars/primary/events',
      query: { updatedMin: since.toISOString(), singleEvents: 'true', orderBy: 'updated', maxResults: 100 },
    }),
    ({ items }) =>
      listOf(items).map((each) => row(each.id, each.summary ?? 'An event', { detail: each.status, url: each.htmlLink, at: each.updated })),
  ),
}

export const outlookCalendar: Record<string, AppTrigger> = {
  'event-changed': changes(
    nothing,
    (_input, since) => ({
      path: '/me/events',
      query: { $filter: `lastModifiedDateTime ge ${since.toISOString()}`, $orderby: 'lastModifiedDateTime desc', $top: 100 },
    }),
    ({ value }) =>
      listOf(value).map((each) =>
        row(each.id, each.subject, { detail: each.start?.dateTime, url: each.webLink, at: each.lastModifiedDateTime }),
      ),
  ),
}

export const calendly: Record<string, AppTrigger> = {
  'meeting-booked': appears(
    nothing,
    (_input, _since, { fields }) => ({
      path: '/scheduled_events',
      query: { user: fields?.owner, count: 100, status: 'active', sort: 'start_time:asc', min_start_time: new Date(now()).toISOString() },
    }),
    ({ collection }) => listOf(collection).map((each) => row(each.uri, each.name, { detail: each.start_time, at: each.created_at })),
  ),
}
