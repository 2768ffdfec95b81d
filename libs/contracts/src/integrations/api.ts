import { z } from 'zod'
import { changing, col, fn, id, oneLine, reading, text, time } from '../contract.ts'

// Webhooks of a customer's own: an address that hears of events. The signing secret is shown when it is made, never listed and never
// part of a capability, so no model ever holds one.

export const endpointStates = ['active', 'paused', 'failing'] as const
export const WebhookEndpoint = z.object({
  id: id('webhook_endpoint'),
  url: z.string(),
  name: z.string(),
  events: z.array(z.string()),
  /** `paused` by its owner; `failing`: paused by us after days without a successful delivery. */
  state: z.enum(endpointStates),
  failing_since: time.nullable(),
  /** Until when deliveries are signed with the secret before as well. */
  old_secret_until: time.nullable(),
  created_at: time,
})
const endpoint_id = id('webhook_endpoint')
const events = z.array(text(100)).min(1).max(100)
const endpointExample = {
  id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b10',
  url: 'https://example.com/hooks/operon',
  name: 'Bookkeeping',
  events: ['billing.payment_succeeded'],
  state: 'active' as const,
  failing_since: null,
  old_secret_until: null,
  created_at: '2026-11-21T10:00:00.000Z',
}

export const webhookEndpointCreate = fn('webhook-endpoint-create', {
  access: 'aal2',
  summary: 'Adds a webhook endpoint and answers with its signing secret, which is shown only once',
  body: z.object({ url: z.url().max(2000), name: oneLine(80).min(1), events }),
  reply: z.object({ endpoint: WebhookEndpoint, secret: z.string() }),
  errors: ['webhook_limit', 'webhook_address', 'webhook_event', 'anonymous_no_calls'],
})
export const webhookSecretRotate = fn('webhook-secret-rotate', {
  access: 'aal2',
  summary: 'Makes a new signing secret. Deliveries carry a signature of the old one as well for 24 hours',
  body: z.object({ endpoint_id }),
  reply: z.object({ endpoint: WebhookEndpoint, secret: z.string() }),
  errors: ['not_found'],
})

export const listWebhookEndpoints = reading('list-webhook-endpoints', {
  summary: 'Lists the webhook endpoints of the account and the events that they can hear of',
  description: 'Signing secrets are never listed. `limit` is how many endpoints the plan includes.',
  body: z.object({}).prefault({}),
  reply: z.object({
    endpoints: z.array(WebhookEndpoint),
    limit: z.int(),
    events: z.array(z.object({ name: z.string(), title: z.string(), description: z.string() })),
  }),
  example: {
    request: {},
    reply: {
      endpoints: [endpointExample],
      limit: 3,
      events: [{ name: 'billing.payment_succeeded', title: 'A payment succeeded', description: 'With the amount and the currency.' }],
    },
  },
  errors: [],
  action: {
    title: 'List webhook endpoints',
    when: 'The person asks which webhooks they have, or which events webhooks can hear of',
    effect: 'reads',
    evidence: {
      rows: 'endpoints',
      columns: { name: col.text('Name'), url: col.text('Address'), state: col.text('State'), created_at: col.time('Added') },
    },
  },
})

const Before = z.object({ name: z.string(), events: z.array(z.string()), paused: z.boolean() }).describe('What it was before a change')
const before = { name: 'Shop', events: ['billing.payment_succeeded'], paused: false }
export const webhookEndpointRestore = changing('webhook-endpoint-restore', {
  summary: 'Puts the name, events and pause of a webhook endpoint back to what they were',
  description: '`before` is what the change answered with.',
  body: z.object({ endpoint_id, before: Before }),
  reply: z.object({ endpoint: WebhookEndpoint }),
  example: { request: { endpoint_id: endpointExample.id, before }, reply: { endpoint: endpointExample } },
  errors: ['not_found', 'webhook_event'],
  action: {
    title: 'Restore a webhook endpoint',
    when: 'The person asks to take back a change of a webhook',
    effect: 'changes',
    does: ({ before: { name } }) => `Puts the webhook ${name} back to what it was`,
  },
})

export const showWebhookEndpoint = reading('show-webhook-endpoint', {
  summary: 'Shows one webhook endpoint and how many deliveries wait for it',
  description: 'Its signing secret is not shown.',
  body: z.object({ endpoint_id }),
  reply: z.object({ name: z.string(), url: z.string(), state: z.string(), waiting: z.int() }),
  example: {
    request: { endpoint_id: endpointExample.id },
    reply: { name: 'Shop', url: endpointExample.url, state: 'active', waiting: 0 },
  },
  errors: ['not_found'],
  action: {
    title: 'Show a webhook endpoint',
    when: 'The person asks about one webhook',
    effect: 'reads',
    evidence: { columns: { name: col.text('Name'), url: col.text('Address'), state: col.text('State'), waiting: col.count('Waiting') } },
  },
})

export const webhookEndpointUpdate = changing('webhook-endpoint-update', {
  summary: 'Renames a webhook endpoint, chooses its events, pauses it or lets it run again',
  description: 'The address cannot be changed: add an endpoint for the new address, which gets a secret of its own.',
  body: z.object({
    endpoint_id,
    name: oneLine(80).min(1).optional(),
    events: events.optional(),
    paused: z.boolean().optional(),
  }),
  reply: z.object({ endpoint: WebhookEndpoint, before: Before.optional() }),
  example: {
    request: { endpoint_id: endpointExample.id, paused: true },
    reply: { endpoint: { ...endpointExample, state: 'paused' as const }, before },
  },
  errors: ['not_found', 'webhook_event'],
  action: {
    title: 'Change a webhook endpoint',
    when: 'The person asks to rename, pause or resume a webhook, or to change its events',
    effect: 'changes',
    undo: { contract: webhookEndpointRestore, seconds: 3600 },
    does: ({ name, events, paused }) =>
      [
        ...(name ? [`Renames the webhook to ${name}.`] : []),
        ...(events ? [`Sends it ${events.join(', ')}.`] : []),
        ...(paused === undefined ? [] : [paused ? 'Pauses the webhook.' : 'Resumes the webhook.']),
      ].join(' ') || 'Changes nothing about the webhook.',
  },
})

export const webhookEndpointDelete = changing('webhook-endpoint-delete', {
  summary: 'Deletes a webhook endpoint with its log',
  description: 'Nothing is sent to it any more, and waiting deliveries are dropped.',
  body: z.object({ endpoint_id }),
  reply: z.object({ deleted: z.boolean() }),
  example: { request: { endpoint_id: endpointExample.id }, reply: { deleted: true } },
  errors: ['not_found'],
  action: {
    title: 'Delete a webhook endpoint',
    when: 'The person asks to remove a webhook',
    effect: 'destroys',
    preview: showWebhookEndpoint,
    does: () => 'Deletes the webhook endpoint and its log of deliveries',
  },
})

export const deliveryStates = ['waiting', 'delivered', 'failed'] as const
const Delivery = z.object({
  id: id('webhook_delivery'),
  /** The `webhook-id` that was sent: the same for every try of one message. */
  message_id: z.string(),
  type: z.string(),
  state: z.enum(deliveryStates),
  attempts: z.int(),
  /** Of the last try: the status it was answered with, or why there was none. */
  status: z.int().nullable(),
  error: z.string().nullable(),
  duration_ms: z.int().nullable(),
  request_id: z.string().nullable(),
  /** The first bytes of the answer. */
  answer: z.string().nullable(),
  next_at: time.nullable(),
  created_at: time,
})
export const listWebhookDeliveries = reading('list-webhook-deliveries', {
  summary: 'Lists what was sent to a webhook endpoint in the last 30 days, newest first',
  description: 'Each delivery has the status and the first bytes of its last answer, how long it took and when it is tried next.',
  body: z.object({
    endpoint_id,
    state: z.enum(deliveryStates).optional(),
    limit: z.int().min(1).max(50).default(20),
    cursor: z.uuid().nullish(),
  }),
  reply: z.object({ deliveries: z.array(Delivery), cursor: z.string().nullable() }),
  example: {
    request: { endpoint_id: endpointExample.id, limit: 1 },
    reply: {
      deliveries: [
        {
          id: '01931a5c-8d4b-7c3e-9a41-0f6f2f9f4b11',
          message_id: 'msg_01931a5c8d4b7c3e9a410f6f2f9f4b11',
          type: 'billing.payment_succeeded.v1',
          state: 'delivered' as const,
          attempts: 1,
          status: 200,
          error: null,
          duration_ms: 84,
          request_id: '01931a5c-8d4b-7c3e-9a41-0f6f2f9f4b12',
          answer: 'ok',
          next_at: null,
          created_at: '2026-11-21T10:00:00.000Z',
        },
      ],
      cursor: null,
    },
  },
  errors: ['not_found'],
  action: {
    title: 'List webhook deliveries',
    when: 'The person asks what was sent to a webhook, or why its deliveries fail',
    effect: 'reads',
    evidence: {
      rows: 'deliveries',
      columns: { created_at: col.time('When'), type: col.text('Event'), state: col.text('State'), status: col.count('Status') },
    },
  },
})

const Replay = z.object({ endpoint_id, delivery_id: id('webhook_delivery').optional(), failed_since: time.optional() })
export const countWebhookReplay = reading('count-webhook-replay', {
  summary: 'Counts the deliveries that a replay would send again',
  description: 'At most 1,000 are sent again in one call.',
  body: Replay,
  reply: z.object({ name: z.string(), url: z.string(), deliveries: z.int() }),
  example: {
    request: { endpoint_id: endpointExample.id, failed_since: '2026-11-20T00:00:00.000Z' },
    reply: { name: 'Shop', url: endpointExample.url, deliveries: 12 },
  },
  errors: ['not_found', 'invalid'],
  action: {
    title: 'Count webhook deliveries to replay',
    when: 'The person asks how many webhook deliveries failed since a time',
    effect: 'reads',
    evidence: { columns: { name: col.text('Webhook'), deliveries: col.count('Deliveries') } },
  },
})

export const webhookReplay = changing('webhook-replay', {
  summary: 'Sends one delivery again, or all that failed since a time',
  description: 'A replayed delivery keeps its `webhook-id`. At most 1,000 are sent again in one call, the oldest first.',
  body: Replay,
  reply: z.object({ replayed: z.int() }),
  example: { request: { endpoint_id: endpointExample.id, failed_since: '2026-11-20T00:00:00.000Z' }, reply: { replayed: 12 } },
  errors: ['not_found', 'invalid', 'webhook_paused', 'webhook_limit'],
  action: {
    title: 'Replay webhook deliveries',
    when: 'The person asks to send failed webhook deliveries again',
    effect: 'sends',
    preview: countWebhookReplay,
    does: ({ delivery_id, failed_since }) =>
      delivery_id
        ? 'Sends one delivery to the webhook again'
        : `Sends every delivery that failed since ${failed_since} to the webhook again`,
  },
})

export const webhookPing = changing('webhook-ping', {
  summary: 'Sends a test event to a webhook endpoint',
  description: 'Its type is `webhook.ping.v1`. The outcome is in the log under the id that is answered.',
  body: z.object({ endpoint_id }),
  reply: z.object({ delivery_id: id('webhook_delivery') }),
  example: { request: { endpoint_id: endpointExample.id }, reply: { delivery_id: '01931a5c-8d4b-7c3e-9a41-0f6f2f9f4b11' } },
  errors: ['not_found', 'webhook_paused', 'webhook_limit'],
  action: {
    title: 'Test a webhook',
    when: 'The person asks to test a webhook',
    effect: 'sends',
    preview: showWebhookEndpoint,
    does: () => 'Sends a test event to the webhook',
  },
})
