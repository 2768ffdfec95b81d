import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import type { GuardedFetch } from '@operon/kit/fetch'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import type { IntegrationsDb } from '../schema.ts'
import { type Outcome, settleTry, type Try } from './deliveries.ts'
import { secretsOf } from './endpoints.ts'
import { signedHeaders } from './signing.ts'

const DEADLINE_MS = 10_000
const ANSWER_BYTES = 500

/** Makes one try and writes down what came of it. Only a database that is away throws, and the lane tries again. */
export async function sendTry({ db, vault, kit }: Runtime<IntegrationsDb, any>, fetch: GuardedFetch, attempt: Try): Promise<void> {
  const delivery = await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', '=', attempt.delivery_id)
    .where('state', '=', 'waiting')
    .where('attempts', '=', attempt.attempt - 1)
    .executeTakeFirst()
  if (!delivery) return
  const endpoint = await db.selectFrom('webhook_endpoints').selectAll().where('id', '=', delivery.endpoint_id).executeTakeFirst()
  if (!endpoint) return
  if (endpoint.state !== 'active') {
    const error = 'The webhook was paused'
    const request_id = delivery.request_id
    await db
      .updateTable('webhook_deliveries')
      .set({ state: 'failed', error, request_id, next_at: null })
      .where('id', '=', delivery.id)
      .where('state', '=', 'waiting')
      .execute()
    return
  }
  const at = new Date(now())
  const { message_id: id, body } = delivery
  const headers = {
    'content-type': 'application/json',
    'user-agent': `${kit.PRODUCT_NAME}-Webhooks/1.0`,
    ...signedHeaders(secretsOf(vault, endpoint, at), { id, at, body }),
  }
  await settleTry(db, attempt, await post(fetch, endpoint.url, headers, body))
}

async function post(fetch: GuardedFetch, url: string, headers: Record<string, string>, body: string): Promise<Outcome> {
  const [started, request_id] = [performance.now(), newId()]
  const told = (outcome: Pick<Outcome, 'ok' | 'status' | 'error' | 'answer'>): Outcome => ({
    ...outcome,
    request_id,
    duration_ms: Math.round(performance.now() - started),
  })
  const signal = AbortSignal.timeout(DEADLINE_MS)
  try {
    const sent = { ...headers, 'x-request-id': request_id }
    const response = await fetch(url, { method: 'POST', headers: sent, body, deadlineMs: DEADLINE_MS, signal, maxRedirects: 0 })
    const answer = await firstBytes(response.body as AsyncIterable<Uint8Array> | null)
    const error = response.ok ? null : `It answered ${response.status}`
    return told({ ok: response.ok, status: response.status, error, answer })
  } catch (error) {
    return told({ ok: false, status: null, error: reasonOf(error), answer: null })
  }
}

/** Reads no more than it keeps: leaving the loop closes the connection. */
async function firstBytes(body: AsyncIterable<Uint8Array> | null): Promise<string | null> {
  if (!body) return null
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size >= ANSWER_BYTES) break
  }
  // PostgreSQL's text has no place for a zero byte.
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES).toString('utf8').replaceAll('\0', '')
}

function reasonOf(error: unknown): string {
  const { code, details } = (error instanceof DomainError ? error : {}) as { code?: string; details?: { why?: string } }
  if (code === 'blocked_address' && details?.why === 'too many redirects') return 'It answered with a redirect, which is not followed'
  if (code === 'blocked_address') return 'The address is not public'
  if (code === 'upstream_timeout' || (error as Error)?.name === 'TimeoutError') return 'No answer within 10 seconds'
  return 'The connection failed'
}
