import * as contract from '@operon/contracts/crm/email/audience'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { serveRaw } from '@operon/kit/http'
import { sendPage } from '@operon/kit/page'
import type { Runtime } from '@operon/kit/service'
import { inTransaction } from '@operon/kit/tx'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Kysely, sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import type { CrmDb } from '../schema.ts'
import { answerOptIn, keepConsent, requestOptIn } from './consents.ts'
import { takeFeedback } from './feedback.ts'
import { idIn } from './links.ts'
import { enterByOptIn } from './sequences/enter.ts'
import { leaveTopics, type ReadersTopic, rejoinTopics, topicsOf } from './topics.ts'

type Whose = { user_id: string; email: string; sender: string; kind: 'campaign' | 'single' | 'opt-in'; state: string | null }

/** Of a recipient, or of a single email: each link names one person and one account. */
async function whoseOf(db: Kysely<any>, id: string): Promise<Whose> {
  const { rows } = await sql<Whose>`
    select found.*, c.state, coalesce((
      select s.name from email_senders s where s.user_id = found.user_id order by s.is_default desc, s.id limit 1), '') as sender
    from (
      select user_id, email, 'campaign' as kind from email_recipients where id = ${id}
      union all select user_id, email, 'single' from email_messages where id = ${id}
      union all select user_id, email, 'opt-in' from email_opt_ins where id = ${id} limit 1) found
    left join consents c on c.user_id = found.user_id and c.channel = 'email' and c.address = found.email`.execute(db)
  if (!rows[0]) throw new DomainError('mail_link')
  return rows[0]
}

const from = ({ sender }: Whose) => sender || 'this sender'

/** Each topic with a tick to take off, and all at once. Coming back needs the letter that asks, as after unsubscribing. */
function topicForms(whose: Whose, topics: ReadersTopic[], token: string) {
  const action = `/mail/preferences/${token}`
  const [kept, left] = [topics.filter((topic) => !topic.left), topics.filter((topic) => topic.left)]
  const checks = kept.map(({ id, title, description }) => ({ name: `topic_${id}`, label: title, hint: description }))
  const shown = kept.map(({ id }) => id).join(',')
  const all = { action, hidden: { choice: 'none' }, button: 'Unsubscribe from all', quiet: true }
  const again = { action, hidden: { choice: 'all' }, button: 'Get all topics again', quiet: true }
  return {
    text: kept.length
      ? `${whose.email} gets these emails from ${from(whose)}. Untick what you no longer want.`
      : `${whose.email} gets no emails about a topic from ${from(whose)}. Other emails may still come.`,
    ...(left.length > 0 && { after: `You left: ${left.map(({ title }) => title).join(', ')}.` }),
    form: kept.length ? { action, hidden: { choice: 'topics', shown }, checks, button: 'Save' } : { ...all, quiet: false },
    more: [...(kept.length ? [all] : []), ...(left.length ? [again] : [])],
  }
}

export function mailPages(rt: Runtime<CrmDb, any>) {
  const { app, vault } = rt
  const product = rt.kit.PRODUCT_NAME
  const failing = { product, title: 'That did not work' }

  /** A page of words for people, JSON for programs. */
  async function answer(request: FastifyRequest, reply: FastifyReply, run: () => Promise<string>) {
    if (!request.headers.accept?.includes('text/html')) return reply.send({ ok: true, message: await run() })
    return shown(reply, async () => sendPage(reply, { product, title: 'Done', text: await run() }))
  }
  async function shown(reply: FastifyReply, run: () => Promise<unknown>) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return sendPage(reply, { ...failing, text: error.message }, { status: error.status })
    }
  }

  async function unsubscribe(db: Ctx<CrmDb>['db'], id: string): Promise<string> {
    const whose = await whoseOf(db, id)
    await inTransaction(db, async (trx) => {
      await takeFeedback(trx as unknown as Trx, id, { kind: 'unsubscribed' })
      if (whose.kind === 'single')
        await trx
          .updateTable('email_messages')
          .set({ ended_at: sql`now()` })
          .where('id', '=', id)
          .where('user_id', '=', whose.user_id)
          .execute()
      if (whose.kind === 'opt-in') await answerOptIn(trx as unknown as Trx, id, false)
      // Also where it was pressed before, and subscribed again since.
      await keepConsent(
        trx,
        { userId: whose.user_id, address: whose.email },
        { state: 'withdrawn', evidence: 'Unsubscribed by the link in an email' },
      )
    })
    return `You will get no more emails like this from ${from(whose)}.`
  }

  /** Only the topics that the page showed: one that came since was not left by leaving it out. */
  async function leave(db: Ctx<CrmDb>['db'], id: string, said: Record<string, unknown>): Promise<string> {
    const whose = await whoseOf(db, id)
    const shown = String(said.shown ?? '').split(',')
    const left = (await topicsOf(db, whose.user_id, whose.email)).filter((topic) => shown.includes(topic.id) && !said[`topic_${topic.id}`])
    const ids = left.map((topic) => topic.id)
    if (!ids.length) return 'Nothing was changed.'
    await inTransaction(db, (trx) => leaveTopics(trx as unknown as Trx, whose.user_id, whose.email, ids))
    return `You will get no more emails about ${left.map(({ title }) => title).join(', ')} from ${from(whose)}.`
  }

  serveRaw(app, contract.mailUnsubscribePage, (ctx, { token }, reply) =>
    shown(reply, async () => {
      const whose = await whoseOf(ctx.db, idIn(vault, 'unsubscribe', token))
      return sendPage(reply, {
        ...{ product, title: 'Unsubscribe', text: `${from(whose)} will send no more emails like this to ${whose.email}.` },
        form: { action: `/mail/unsubscribe/${token}`, hidden: {}, button: 'Unsubscribe' },
      })
    }),
  )
  serveRaw(app, contract.mailUnsubscribe, (ctx, { token }, reply, request) =>
    answer(request, reply, () => unsubscribe((ctx as Ctx<CrmDb>).db, idIn(vault, 'unsubscribe', token))),
  )

  serveRaw(app, contract.mailPreferencesPage, (ctx, { token }, reply) =>
    shown(reply, async () => {
      const whose = await whoseOf(ctx.db, idIn(vault, 'preferences', token))
      const gets = whose.state === null || whose.state === 'given'
      const topics = gets ? await topicsOf(ctx.db, whose.user_id, whose.email) : []
      if (topics.length) return sendPage(reply, { product, title: 'Email preferences', ...topicForms(whose, topics, token) })
      return sendPage(reply, {
        product,
        title: 'Email preferences',
        text: gets ? `${whose.email} gets emails from ${from(whose)}.` : `${whose.email} gets no emails from ${from(whose)}.`,
        form: {
          action: `/mail/preferences/${token}`,
          hidden: { choice: gets ? 'none' : 'all' },
          button: gets ? 'Unsubscribe from all' : 'Subscribe again',
        },
      })
    }),
  )
  serveRaw(app, contract.mailPreferences, (ctx, input, reply, request) =>
    answer(request, reply, async () => {
      const { db } = ctx as Ctx<CrmDb>
      const id = idIn(vault, 'preferences', input.token)
      if (input.choice === 'none') return unsubscribe(db, id)
      if (input.choice === 'topics') return leave(db, id, input)
      if (input.choice !== 'all') throw new DomainError('invalid')
      const whose = await whoseOf(db, id)
      // The account's own mail server sees this link, so it does not prove who pressed it. Our own letter asks the person.
      const asked = await requestOptIn(db, rt.cache, whose.user_id, whose.email)
      if (asked === 'often') return `${whose.email} was asked three times already, so no more requests go there.`
      return asked === 'suppressed'
        ? `Emails to ${whose.email} came back or were marked as spam, so this page cannot start them again.`
        : `Check the inbox of ${whose.email}. The button in our email subscribes you again.`
    }),
  )

  serveRaw(app, contract.mailOptInPage, (ctx, { token }, reply) =>
    shown(reply, async () => {
      const whose = await whoseOf(ctx.db, idIn(vault, 'confirm', token))
      return sendPage(reply, {
        ...{ product, title: 'Confirm your subscription', text: `${from(whose)} will send emails to ${whose.email}.` },
        form: { action: `/mail/confirm/${token}`, hidden: {}, button: 'Confirm' },
      })
    }),
  )
  serveRaw(app, contract.mailOptIn, (ctx, { token }, reply, request) =>
    answer(request, reply, async () => {
      const { db } = ctx as Ctx<CrmDb>
      const id = idIn(vault, 'confirm', token)
      const whose = await whoseOf(db, id)
      await inTransaction(db, async (trx) => {
        await answerOptIn(trx as unknown as Trx, id, true)
        await trx
          .updateTable('email_messages')
          .set({ ended_at: null })
          .where('user_id', '=', whose.user_id)
          .where('email', '=', whose.email)
          .where('ended_at', 'is not', null)
          .execute()
        await keepConsent(
          trx,
          { userId: whose.user_id, address: whose.email },
          { state: 'given', evidence: 'Confirmed by the link in an email' },
        )
        await rejoinTopics(trx as unknown as Trx, whose.user_id, whose.email)
        await enterByOptIn(trx as unknown as Trx, whose.user_id, whose.email)
      })
      return `You are on the list of ${from(whose)}.`
    }),
  )
}
