import type { AgentListResponse } from 'retell-sdk/resources/agent'
import type { CallListResponse } from 'retell-sdk/resources/call'
import { type ApiCall, iso, limited, type Operation, pageOf } from './operation.ts'

const stamps = (minutes: number) => ({ orgId: 'org-1', createdAt: iso(minutes), updatedAt: iso(minutes) })
const retellCall = (call_id: string, minutes: number, disconnection_reason: 'agent_hangup' | 'user_hangup') => ({
  ...{ call_id, call_type: 'phone_call' as const, direction: 'inbound' as const, call_status: 'ended' as const, disconnection_reason },
  ...{ agent_id: 'agent_1', agent_version: 0, from_number: '+15550100', to_number: '+15550101' },
  ...{ start_timestamp: Date.now() + (minutes - 2) * 60_000, end_timestamp: Date.now() + minutes * 60_000, duration_ms: 120_000 },
})
const retellCalls = (call: ApiCall) => [
  ...call.list('call').map(({ id }) => retellCall(id, -1, 'agent_hangup')),
  retellCall('call_1', -90, 'user_hangup'),
]

export const voice: Operation[] = [
  {
    at: 'GET api.vapi.ai/assistant',
    query: ['limit'],
    answer: (call) =>
      limited([{ id: 'asst-1', name: 'Reception', voice: { provider: 'openai', voiceId: 'alloy' }, ...stamps(-9000) }], call),
  },
  {
    at: 'GET api.vapi.ai/call',
    query: ['limit'],
    answer: (call) =>
      limited(
        [
          ...call
            .list('call')
            .map(({ id }) => ({ id, status: 'ended', endedReason: 'assistant-ended-call', startedAt: iso(-1), ...stamps(-1) })),
          { id: 'call-1', status: 'ended', endedReason: 'customer-ended-call', startedAt: iso(-90), ...stamps(-90) },
        ],
        call,
      ),
  },
  {
    at: 'POST api.retellai.com/v2/list-agents',
    query: ['limit', 'pagination_key', 'sort_order'],
    body: ['filter_criteria'],
    answer: (): AgentListResponse => ({
      items: [{ agent_id: 'agent_1', agent_name: 'Reception', channel: 'voice', tags: {}, user_modified_timestamp: 1_760_000_000_000 }],
      has_more: false,
    }),
  },
  {
    at: 'POST api.retellai.com/v3/list-calls',
    body: ['limit', 'filter_criteria', 'sort_order', 'pagination_key', 'skip', 'include_total'],
    answer: (call): CallListResponse => {
      const { rows, next } = pageOf(retellCalls(call), call, 'limit', 'pagination_key')
      return { items: rows, has_more: next !== undefined, ...(next && { pagination_key: next }) }
    },
  },
]
