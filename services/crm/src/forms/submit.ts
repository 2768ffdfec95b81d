import type { Input, Output } from '@operon/contracts/contract'
import { optInMail } from '@operon/contracts/crm/email/events'
import { formSubmitted } from '@operon/contracts/crm/events'
import type * as contract from '@operon/contracts/crm/forms'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { addressBlock } from '@operon/kit/mail/blocks'
import type { Runtime } from '@operon/kit/service'
import { enqueue, inTransaction, publish } from '@operon/kit/tx'
import { type Kysely, type Selectable, sql } from 'kysely'
import { assertContact, type Trx } from '../contacts/assert.ts'
import { MOST_CONTACTS } from '../contacts/change.ts'
import { addActivity } from '../contacts/timeline.ts'
import { claimOptIn, fullInbox, noteConsent, unclaimOptIn } from '../email/consents.ts'
import { enterByTrigger } from '../email/sequences/enter.ts'
import type { CrmDb } from '../schema.ts'

type Form = Selectable<CrmDb['lead_forms']>
type Rt = Pick<Runtime<CrmDb>, 'cache'>

const DAY_MS = 86_400_000
const OF_AN_ADDRESS_A_DAY = 5
const OF_AN_ACCOUNT_A_DAY = 500
/** Into one account. A single stranger leaves the day to other visitors. */
const OF_A_CALLER_A_DAY = 150
const BY_PROGRAM = 'Sent by a program'

async function openForm(db: Kysely<any>, formId: string): Promise<Form> {
  const form = await (db as Kysely<CrmDb>)
    .selectFrom('lead_forms')
    .selectAll()
    .where('id', '=', formId)
    .where('active', '=', true)
    .executeTakeFirst()
  if (!form) throw new DomainError('not_found', { message: 'There is no form at this address.' })
  return form
}

export async function showLeadForm(
  { db }: Ctx<CrmDb>,
  { form_id }: Input<typeof contract.showLeadForm>,
): Promise<Output<typeof contract.showLeadForm>> {
  const { title, intro, phone, company, questions, consent_text, button } = await openForm(db, form_id)
  return { title, intro, phone, company, questions, consent_text, button }
}

export async function submitLeadForm(
  ctx: Ctx<CrmDb>,
  given: Input<typeof contract.submitLeadForm>,
  { cache }: Rt,
): Promise<Output<typeof contract.submitLeadForm>> {
  const form = await openForm(ctx.db, given.form_id)
  const { phone, company } = given
  const missing = (asked: Form['phone'], said: string | undefined) => asked === 'required' && !said
  const unanswered = form.questions.some(({ required }, at) => required && !given.answers[at]?.trim())
  if (missing(form.phone, phone) || missing(form.company, company) || unanswered) throw new DomainError('form_answers')
  // A stranger names the address, so only so many a day go to one, and into one account.
  const address = await cache.take(`form ${form.id} ${given.email}`, OF_AN_ADDRESS_A_DAY, DAY_MS)
  const caller = address.ok ? await cache.take(`forms of ${form.user_id} from ${addressBlock(ctx.ip)}`, OF_A_CALLER_A_DAY, DAY_MS) : address
  const all = caller.ok ? await cache.take(`forms of ${form.user_id}`, OF_AN_ACCOUNT_A_DAY, DAY_MS) : caller
  if (!all.ok) throw new DomainError('form_many')
  await inTransaction(ctx.db, async (trx) => {
    await takeLead(trx as Trx, form.user_id, {
      name: given.name,
      email: given.email,
      phone: form.phone === 'off' ? null : (phone ?? null),
      company: form.company === 'off' ? null : (company ?? null),
      source: 'form',
      formId: form.id,
      title: form.title,
      answers: form.questions.flatMap(({ label }, at) => {
        const answer = given.answers[at]?.trim()
        return answer ? [{ label, answer }] : []
      }),
      consent: given.consent && form.consent_text ? form.consent_text : null,
      askFirst: form.double_opt_in ? cache : null,
    })
    await trx
      .updateTable('lead_forms')
      .set({ sent: sql`sent + 1`, last_at: sql<Date>`now()` })
      .where('id', '=', form.id)
      .where('user_id', '=', form.user_id)
      .execute()
  })
  return { thanks: form.thanks }
}

export async function addLead(ctx: Ctx<CrmDb>, given: Input<typeof contract.addLead>): Promise<Output<typeof contract.addLead>> {
  const { name, email, phone = null, company = null, message, consent = null } = given
  return inTransaction(ctx.db, async (trx) => ({
    contact_id: await takeLead(trx as Trx, signedIn(ctx).id, {
      ...{ name, email, phone, company, consent },
      source: 'api',
      formId: null,
      title: BY_PROGRAM,
      answers: message ? [{ label: 'Message', answer: message }] : [],
      // The program has asked the person itself, and says so with the account's own key.
      askFirst: null,
    }),
  }))
}

type Lead = {
  name: string
  email: string
  phone: string | null
  company: string | null
  source: string
  formId: string | null
  title: string
  answers: { label: string; answer: string }[]
  consent: string | null
  /** Where the owner of the address is asked by email before a consent counts. */
  askFirst: Runtime['cache'] | null
}

/** The contact, what was sent and agreed to, the line in the timeline and the event, or none of them. */
async function takeLead(trx: Trx, userId: string, lead: Lead): Promise<string> {
  const { formId, title, name, email, phone, company, answers, consent, source } = lead
  await leaveRoom(trx, userId, email)
  const contactId = await assertContact(trx, userId, { email, name, phone, company, source })
  const id = newId()
  await trx
    .insertInto('lead_submissions')
    .values({
      id,
      user_id: userId,
      form_id: formId,
      contact_id: contactId,
      title,
      name,
      email,
      phone,
      company,
      consent,
      answers: JSON.stringify(answers),
    })
    .execute()
  const said = answers.map(({ label, answer }) => `${label}: ${answer}`)
  const unasked = consent && lead.askFirst && (await askByMail(trx, lead.askFirst, userId, email))
  if (consent && !lead.askFirst) await noteConsent(trx, { userId, address: email }, `Agreed: ${consent}`)
  const text = [
    formId ? `Sent the form ${title}` : title,
    ...said,
    ...(consent ? [`Agreed: ${consent}`] : []),
    ...(unasked ? [unasked] : []),
  ]
  await addActivity(trx, userId, { contactId, kind: 'form', text: text.join('\n'), at: new Date(), eventId: id })
  if (formId) await enterByTrigger(trx, userId, 'form', [formId], [contactId])
  await publish(trx, formSubmitted, userId, { submission_id: id, form_id: formId, contact_id: contactId, title, name, email })
  return contactId
}

async function leaveRoom(trx: Trx, userId: string, email: string): Promise<void> {
  const { rows } = await sql<{ full: boolean }>`
    select coalesce((select contacts from contact_counts where user_id = ${userId}), 0) >= ${MOST_CONTACTS}
      and not exists (select from contact_emails where user_id = ${userId} and email = ${email}) as full`.execute(trx)
  if (rows[0]!.full) throw new DomainError('contacts_full')
}

/**
 * As often as any request for consent, and not where the owner of the address has had their say: an answer of theirs stands until they change it themselves.
 * Returns why no letter goes out where it should.
 */
async function askByMail(trx: Trx, cache: Runtime['cache'], userId: string, email: string): Promise<string | null> {
  const { rows: said } = await sql`select from consents where user_id = ${userId} and channel = 'email' and address = ${email}`.execute(trx)
  const id = said.length ? null : await claimOptIn(trx, userId, email)
  if (!id) return null
  const full = await fullInbox(cache, email)
  if (full) await unclaimOptIn(trx, userId, id)
  else await enqueue(trx, optInMail, { consent_id: id, user_id: userId }, { userId })
  return full
}
