import { companyOf, numberOf } from './grants.ts'
import { metaAds } from './meta-ads.ts'
import { type ApiCall, iso, kept, limited, type Operation, Refused } from './operation.ts'

const fb = 'graph.facebook.com/v26.0'
/** Before a token of a person: the page that they run. */
export const PAGE = 'page_'
const withPage = ({ headers }: ApiCall) =>
  headers.authorization?.toLowerCase().startsWith(`bearer ${PAGE}`)
    ? undefined
    : new Refused(400, {
        error: { message: '(#210) A page access token is required to request this resource.', type: 'OAuthException', code: 210 },
      })
export const meta: Operation[] = [
  { at: `GET ${fb}/me`, query: ['fields'], answer: ({ grant }) => ({ id: numberOf(grant.email), name: grant.name }) },
  {
    at: `GET ${fb}/me/accounts`,
    query: ['fields', 'limit'],
    answer: ({ grant }) => ({
      data: [
        {
          id: '1001',
          name: companyOf(grant),
          link: 'https://www.facebook.com/1001',
          instagram_business_account: { id: '2001', username: grant.name.split(' ')[0]!.toLowerCase() },
        },
      ],
    }),
  },
  {
    at: `GET ${fb}/1001`,
    query: ['fields'],
    answer: ({ headers }) => ({ id: '1001', access_token: `${PAGE}${headers.authorization?.replace(/^bearer /i, '')}` }),
  },
  {
    at: `GET ${fb}/:object/posts`,
    query: ['fields', 'limit'],
    answer: (call) =>
      withPage(call) ?? {
        data: limited(
          kept(call, 'post', [
            { message: 'We are open on Saturday', created_time: iso(-3000), permalink_url: 'https://www.facebook.com/1001/posts/1' },
          ]),
          call,
        ),
      },
  },
  {
    at: `POST ${fb}/:object/feed`,
    body: ['message', 'link'],
    answer: (call) => withPage(call) ?? { id: `1001_${call.add('post', { ...call.body, created_time: iso(0) }).id}` },
  },
  {
    at: `GET ${fb}/:object/media`,
    query: ['fields', 'limit'],
    answer: (call) => ({
      data: limited(
        kept(call, 'media', [
          {
            caption: 'New in the shop',
            permalink: 'https://www.instagram.com/p/1',
            timestamp: iso(-2000),
            like_count: 41,
            comments_count: 3,
          },
        ]),
        call,
      ),
    }),
  },
  ...metaAds,
]
