import type { Channel, ChatMessage, Message, Team, User } from '@microsoft/microsoft-graph-types'
import { companyOf, numberOf } from './grants.ts'
import { has, iso, kept, limited, type Operation } from './operation.ts'

const graph = 'graph.microsoft.com/v1.0'
type Page<T> = { value: T[] }
const offer = (): Message => ({
  subject: 'Offer',
  bodyPreview: 'Thank you for the offer',
  receivedDateTime: iso(-60),
  webLink: 'https://outlook.office.com/1',
})
export const microsoft: Operation[] = [
  {
    at: `GET ${graph}/me`,
    answer: ({ grant }): User => ({
      id: numberOf(grant.email),
      displayName: grant.name,
      mail: grant.email,
      userPrincipalName: grant.email,
    }),
  },
  {
    at: `POST ${graph}/me/sendMail`,
    body: ['message', 'saveToSentItems'],
    status: 202,
    answer: (call) => void call.add('mail', call.body.message),
  },
  {
    at: `GET ${graph}/me/messages`,
    query: ['$search', '$top', '$select', '$filter', '$orderby', '$skip'],
    answer: (call): Page<Message> => ({
      value: limited(
        kept(call, 'inbox', [offer()]).filter(({ subject, bodyPreview }: any) =>
          has(`${subject} ${bodyPreview}`, (call.query.get('$search') ?? '').replaceAll('"', '')),
        ),
        call,
        '$top',
      ),
    }),
  },
  {
    at: `GET ${graph}/me/mailFolders/inbox/messages`,
    query: ['$filter', '$orderby', '$top', '$select', '$skip'],
    answer: (call): Page<Message> => {
      const since = /receivedDateTime ge ([\dT:.Z+-]+)/.exec(call.query.get('$filter') ?? '')?.[1] ?? ''
      return {
        value: limited(
          call
            .list('inbox')
            .map(({ id, data }) => ({ id, ...data }))
            .filter((each: any) => each.receivedDateTime >= since),
          call,
          '$top',
        ),
      }
    },
  },
  {
    at: `GET ${graph}/me/joinedTeams`,
    answer: ({ grant }): Page<Team> => ({ value: [{ id: 'team-1', displayName: companyOf(grant), description: 'Everyone' }] }),
  },
  {
    at: `GET ${graph}/teams/:team/channels`,
    answer: (): Page<Channel> => ({
      value: [{ id: '19:general@thread.tacv2', displayName: 'General', description: null, webUrl: 'https://teams.microsoft.com/1' }],
    }),
  },
  {
    at: `GET ${graph}/teams/:team/channels/:channel/messages`,
    query: ['$top', '$expand', '$skiptoken'],
    answer: (call): Page<ChatMessage> => ({
      value: limited(
        call.list('said').map(({ id, data }) => ({
          id,
          createdDateTime: data.at,
          webUrl: `https://teams.microsoft.com/l/message/${id}`,
          body: { contentType: 'html' as const, content: `<p>${data.text}</p>` },
          from: { user: { displayName: 'Maya Patel' } },
        })),
        call,
        '$top',
      ),
    }),
  },
  {
    at: `POST ${graph}/teams/:team/channels/:channel/messages`,
    body: ['body', 'subject'],
    status: 201,
    answer: (call): ChatMessage => {
      const { id } = call.add('message', { ...call.body, channel: call.params.channel })
      return { id, webUrl: `https://teams.microsoft.com/l/message/${id}`, body: call.body.body }
    },
  },
]
