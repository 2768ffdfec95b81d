import type { AuthTestResponse, ChatPostMessageResponse, ConversationsHistoryResponse, ConversationsListResponse } from '@slack/web-api'
import { companyOf, numberOf } from './grants.ts'
import { limited, type Operation } from './operation.ts'

export const slack: Operation[] = [
  {
    at: 'POST slack.com/api/auth.test',
    answer: ({ grant }): AuthTestResponse => ({
      ok: true,
      url: 'https://sandbox.slack.com/',
      team: companyOf(grant),
      user: 'operon',
      team_id: `T${numberOf(grant.email)}`,
      user_id: 'U0KRQLJ9H',
    }),
  },
  {
    at: 'GET slack.com/api/conversations.list',
    query: ['limit', 'exclude_archived', 'cursor', 'types'],
    answer: (call): ConversationsListResponse => ({
      ok: true,
      channels: limited(
        [
          { id: 'C01GENERAL', name: 'general', num_members: 12 },
          { id: 'C02SALES', name: 'sales', num_members: 5 },
        ],
        call,
      ),
      response_metadata: { next_cursor: '' },
    }),
  },
  {
    at: 'GET slack.com/api/conversations.history',
    query: ['channel', 'oldest', 'latest', 'limit', 'cursor', 'inclusive'],
    answer: (call): ConversationsHistoryResponse => {
      if (!['C01GENERAL', 'C02SALES'].includes(call.query.get('channel') ?? '')) return { ok: false, error: 'channel_not_found' }
      const messages = call
        .list('said')
        .map(({ data }) => ({ type: 'message', user: 'U0MAYA', text: data.text, ts: data.ts }))
        .filter(({ ts }) => Number(ts) > Number(call.query.get('oldest') ?? 0))
      return { ok: true, messages: limited(messages, call), has_more: false }
    },
  },
  {
    at: 'POST slack.com/api/chat.postMessage',
    body: ['channel', 'text', 'blocks', 'thread_ts', 'mrkdwn'],
    answer: (call): ChatPostMessageResponse => {
      const channel = String(call.body.channel ?? '')
      if (!['C01GENERAL', 'C02SALES', '#general', '#sales'].includes(channel)) return { ok: false, error: 'channel_not_found' }
      const { id } = call.add('message', call.body)
      return { ok: true, channel, ts: `${Math.floor(Date.now() / 1000)}.${id.slice(-6)}`, message: { text: call.body.text } }
    },
  },
]
