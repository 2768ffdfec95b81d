import { z } from 'zod'
import { type AppDefinition, does, field, listOf, made, reads, row } from './app.ts'

const graph = {
  vendor: 'microsoft',
  api: 'https://graph.microsoft.com/v1.0',
  who: { path: '/me', read: ({ id, mail, userPrincipalName }) => ({ id, name: mail ?? userPrincipalName ?? id }) },
  perMinute: 240,
  // A link to what comes next: its own parameter is kept, and the address is not called.
  paging: {
    send: (request, cursor) => ({ ...request, query: { ...request.query, ...Object.fromEntries(new URLSearchParams(cursor)) } }),
    next: (answer) => {
      const link = answer['@odata.nextLink']
      const [found] = link ? [...new URL(link).searchParams].filter(([name]) => ['$skip', '$skiptoken'].includes(name)) : []
      return found && new URLSearchParams([found]).toString()
    },
  },
} as const satisfies Partial<AppDefinition>
const base = ['openid', 'email', 'offline_access', 'User.Read']

export const outlook: AppDefinition = {
  ...graph,
  id: 'outlook',
  scopes: [...base, 'Mail.Send', 'Mail.Read'],
  actions: {
    'send-mail': does(
      'Send a mail',
      'sends',
      z.object({ to: field.email, subject: field.text('Subject', 200), text: field.text('Text') }),
      ({ to, subject, text }) => ({
        method: 'POST',
        path: '/me/sendMail',
        json: {
          message: { subject, body: { contentType: 'Text', content: text }, toRecipients: [{ emailAddress: { address: to } }] },
          saveToSentItems: true,
        },
      }),
      () => made(null),
    ),
    'find-mail': reads(
      'Find mail',
      z.object({ words: field.words, limit: field.limit }),
      ({ words, limit }) => ({
        path: '/me/messages',
        query: { $search: `"${words.replaceAll('"', ' ')}"`, $top: limit, $select: 'id,subject,bodyPreview,receivedDateTime,webLink' },
      }),
      ({ value }) =>
        listOf(value).map((each) => row(each.id, each.subject, { detail: each.bodyPreview, url: each.webLink, at: each.receivedDateTime })),
    ),
  },
}

export const outlookCalendar: AppDefinition = {
  ...graph,
  id: 'outlook-calendar',
  scopes: [...base, 'Calendars.ReadWrite'],
  actions: {
    'list-events': reads(
      'List events',
      z.object({ from: field.time('From').optional(), limit: field.limit }),
      ({ from, limit }) => ({
        path: '/me/events',
        query: { $filter: `start/dateTime ge '${from ?? new Date().toISOString()}'`, $orderby: 'start/dateTime', $top: limit },
      }),
      ({ value }) =>
        listOf(value).map((each) =>
          row(each.id, each.subject, { detail: each.location?.displayName, url: each.webLink, at: each.start?.dateTime }),
        ),
    ),
    'add-event': does(
      'Add an event',
      'changes',
      z.object({ title: field.text('Title', 200), start: field.time('Start'), end: field.time('End'), notes: field.optional('Notes') }),
      ({ title, start, end, notes }) => ({
        method: 'POST',
        path: '/me/events',
        json: {
          subject: title,
          body: { contentType: 'Text', content: notes ?? '' },
          start: { dateTime: new Date(start).toISOString(), timeZone: 'UTC' },
          end: { dateTime: new Date(end).toISOString(), timeZone: 'UTC' },
        },
      }),
      ({ id, webLink }) => made(id, webLink),
    ),
  },
}

export const teams: AppDefinition = {
  ...graph,
  id: 'teams',
  scopes: [...base, 'Team.ReadBasic.All', 'Channel.ReadBasic.All', 'ChannelMessage.Send', 'ChannelMessage.Read.All'],
  actions: {
    'list-teams': reads(
      'List teams',
      z.object({}),
      () => ({ path: '/me/joinedTeams' }),
      ({ value }) => listOf(value).map((each) => row(each.id, each.displayName, { detail: each.description })),
    ),
    'list-channels': reads(
      'List channels',
      z.object({ team: field.text('Team', 100) }),
      ({ team }) => ({ path: `/teams/${encodeURIComponent(team)}/channels` }),
      ({ value }) => listOf(value).map((each) => row(each.id, each.displayName, { detail: each.description, url: each.webUrl })),
    ),
    'post-message': does(
      'Post a message',
      'sends',
      z.object({ team: field.text('Team', 100), channel: field.text('Channel', 200), text: field.text('Message') }),
      ({ team, channel, text }) => ({
        method: 'POST',
        path: `/teams/${encodeURIComponent(team)}/channels/${encodeURIComponent(channel)}/messages`,
        json: { body: { contentType: 'text', content: text } },
      }),
      ({ id, webUrl }) => made(id, webUrl),
    ),
  },
}
