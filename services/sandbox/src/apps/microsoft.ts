import type { Channel, ChatMessage, Message, Team, User } from '@microsoft/microsoft-graph-types'
import { companyOf, numberOf } from './grants.ts'
import { saysPhrase, VALUE } from './mail.ts'
import { type ApiCall, has, iso, kept, limited, type Operation, pageOf } from './operation.ts'

const graph = 'graph.microsoft.com/v1.0'
type Page<T> = { value: T[]; '@odata.nextLink'?: string }
const offer = (): Message => ({
  conversationId: 'conversation-1',
  subject: 'Offer',
  bodyPreview: 'Thank you for the offer',
  from: { emailAddress: { name: 'Maya Patel', address: 'maya.patel@example.com' } },
  toRecipients: [],
  sentDateTime: iso(-60),
  receivedDateTime: iso(-60),
  webLink: 'https://outlook.office.com/1',
  isDraft: false,
})
const inbox = (call: ApiCall) => kept(call, 'inbox', [offer()]) as Message[]
const peopleOf = ({ from, toRecipients, ccRecipients }: Message) =>
  [from, ...(toRecipients ?? []), ...(ccRecipients ?? [])].map((each) => `${each?.emailAddress?.name} ${each?.emailAddress?.address}`)

/** Words, or `participants:"a b@x.com" OR …`; the quotes within those of the parameter are escaped. */
function searched(call: ApiCall): Message[] {
  const search = (call.query.get('$search') ?? '').replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1')
  const people = [...search.matchAll(new RegExp(`participants:(?:${VALUE})`, 'g'))].map(([, quoted, plain]) => quoted ?? plain ?? '')
  return inbox(call)
    .filter((mail) =>
      people.length
        ? people.some((phrase) => peopleOf(mail).some((person) => saysPhrase(person, phrase)))
        : has(`${mail.subject} ${mail.bodyPreview}`, search),
    )
    .sort((one, other) => (one.sentDateTime! < other.sentDateTime! ? 1 : -1))
}
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
    query: ['$search', '$top', '$select', '$filter', '$orderby', '$skip', '$skiptoken'],
    answer: (call): Page<Message> => {
      const { rows, next } = pageOf(searched(call), call, '$top', '$skiptoken')
      const link = new URLSearchParams({ ...Object.fromEntries(call.query), $skiptoken: next ?? '' })
      return { value: rows, ...(next && { '@odata.nextLink': `https://${graph}/me/messages?${link}` }) }
    },
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
