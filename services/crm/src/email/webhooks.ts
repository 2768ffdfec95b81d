import { createHmac, timingSafeEqual } from 'node:crypto'
import * as contract from '@operon/contracts/crm/email/audience'
import { DomainError } from '@operon/kit/errors'
import { serveRaw } from '@operon/kit/http'
import { deleteInPieces } from '@operon/kit/pieces'
import type { Runtime } from '@operon/kit/service'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Trx } from '../contacts/assert.ts'
import type { CrmDb } from '../schema.ts'
import { type EngineRt, tell } from './engine.ts'
import { type Feedback, takeFeedback } from './feedback.ts'
import { webhookContext } from './senders.ts'

/** The fields of MailerSend's webhooks that are read: the id of the activity, its kind, and the tag that we gave the email. */
const Activity = z.looseObject({
  type: z.string(),
  data: z.looseObject({
    id: z.string().max(200),
    email: z.looseObject({ tags: z.array(z.string()).nullish(), recipient: z.looseObject({ email: z.string() }).nullish() }),
    morph: z.looseObject({ reason: z.string().nullish(), object: z.string().nullish() }).nullish(),
  }),
})
const kinds: Record<string, Feedback['kind']> = {
  'activity.delivered': 'delivered',
  'activity.hard_bounced': 'hard_bounced',
  'activity.soft_bounced': 'soft_bounced',
  'activity.spam_complaint': 'complained',
  'activity.unsubscribed': 'unsubscribed',
}
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Hints: what they say counts once, and only about emails of the account whose secret signed them. */
export function mailWebhooks(rt: Runtime<CrmDb, any>) {
  const { app, db, vault } = rt
  serveRaw(app, contract.mailersendWebhook, async (_ctx, _body, reply, request) => {
    const { sender } = request.params as { sender: string }
    const row = await db.selectFrom('email_senders').selectAll().where('id', '=', sender).executeTakeFirst()
    const body = request.body as Buffer
    const secret = row?.webhook_secret ? vault.open(row.webhook_secret, webhookContext(row)) : null
    if (!row || secret === null || !isSigned(body, secret, String(request.headers.signature ?? '')))
      throw new DomainError('webhook_signature')
    const said = Activity.safeParse(jsonOf(body))
    const kind = said.success ? kinds[said.data.type] : undefined
    const tag = said.data?.data.email.tags?.find((each) => ID.test(each))
    if (!said.success || !kind || !tag) return reply.send({ taken: 0 })
    const { id, morph } = said.data.data
    const after = await inTransaction(db, async (trx) => {
      const { rows } = await sql`
        insert into email_hints (id) select ${`${sender}:${id}`} where exists (
          select from email_recipients where id = ${tag} and user_id = ${row.user_id}) on conflict do nothing returning id`.execute(trx)
      if (rows.length === 0) return { taken: 0, campaign: null }
      return { taken: 1, campaign: await takeFeedback(trx as unknown as Trx, tag, { kind, detail: morph?.reason?.slice(0, 300) ?? null }) }
    })
    if (after.campaign) await tell({ rt: rt as unknown as EngineRt }, after.campaign)
    return reply.send({ taken: after.taken })
  })
}

function isSigned(body: Buffer, secret: string, signature: string): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return null
  }
}

export const forgetHints = (db: Runtime<CrmDb>['db']) => deleteInPieces(db, 'email_hints', sql`at < now() - interval '30 days'`)
