import * as contract from '@operon/contracts/crm/email/audience'
import { DomainError } from '@operon/kit/errors'
import { serveRaw } from '@operon/kit/http'
import { sendPage } from '@operon/kit/page'
import type { Runtime } from '@operon/kit/service'
import { inTransaction } from '@operon/kit/tx'
import type { FastifyRequest } from 'fastify'
import type { Trx } from '../contacts/assert.ts'
import type { CrmDb } from '../schema.ts'
import { type EngineRt, tell } from './engine.ts'
import { type Feedback, takeFeedback } from './feedback.ts'
import { clickIn, idIn } from './links.ts'
import { isMachine } from './machines.ts'

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

export function mailTracking(rt: Runtime<CrmDb, any>) {
  const { app, db, log, vault } = rt
  const engine = { rt: rt as unknown as EngineRt }

  async function look(request: FastifyRequest, recipientId: string) {
    const row = await db.selectFrom('email_recipients').select('sent_at').where('id', '=', recipientId).executeTakeFirst()
    const { headers, method } = request
    const purpose = String(headers['sec-purpose'] ?? headers.purpose ?? headers['x-purpose'] ?? headers['x-moz'] ?? '')
    return row && isMachine({ userAgent: String(headers['user-agent'] ?? ''), method, purpose, sentAt: row.sent_at ?? null })
  }
  /** A reader is never held up by what is written down about it. */
  async function note(recipientId: string, feedback: Feedback) {
    try {
      const campaign = await inTransaction(db, (trx) => takeFeedback(trx as unknown as Trx, recipientId, feedback))
      if (campaign) await tell(engine, campaign)
    } catch (err) {
      log.warn({ err, recipient: recipientId }, 'an open or a click was not recorded')
    }
  }

  serveRaw(app, contract.mailOpen, async (_ctx, { token }, reply, request) => {
    try {
      const id = idIn(vault, 'open', token)
      const machine = await look(request, id)
      if (machine !== undefined) await note(id, { kind: 'opened', machine })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
    }
    return reply.type('image/gif').header('cache-control', 'no-store, private').send(PIXEL)
  })

  serveRaw(app, contract.mailClick, async (_ctx, { token }, reply, request) => {
    try {
      const { id, url } = clickIn(vault, token)
      const machine = await look(request, id)
      if (machine === undefined) throw new DomainError('mail_link')
      await note(id, { kind: 'clicked', machine, url })
      return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(url, 302)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return sendPage(reply, { product: rt.kit.PRODUCT_NAME, title: 'That did not work', text: error.message }, { status: error.status })
    }
  })
}
