import { newId } from '@operon/kit/ids'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { crmService } from '../service.ts'

const platform = await startTestService(crmService, { RATE_PUBLIC_SEND: '5000/60s' })
const db: any = platform.services.crm!.rt.db
afterAll(() => platform.close())

const call = (name: string, body: object, headers: Record<string, string> = {}) => platform.call(name, null, body, headers)
const of = (user: TestUser, table: string, columns: string[]) =>
  db.selectFrom(table).select(columns).where('user_id', '=', user.id).orderBy('id').execute()
const ask = 'You may email me news and offers.'

async function aForm(more: object = {}) {
  const user = platform.user()
  const given = { title: 'Contact us', questions: [{ label: 'What is it about?', required: true }], consent_text: ask, ...more }
  const made = await call('create-lead-form', given, user.headers)
  expect(made.status, JSON.stringify(made.body)).toBe(200)
  const { form_id, action_url } = made.body
  const email = `ines-${newId()}@example.com`
  const send = (sent: object = {}, headers?: Record<string, string>) =>
    call('submit-lead-form', { form_id, name: 'Ines Ortega', email, answers: ['A website'], ...sent }, headers)
  const change = (by: TestUser, version: number, to: object) => call('update-lead-form', { ...given, form_id, version, ...to }, by.headers)
  return { user, form_id, email, send, change, action: new URL(action_url).pathname }
}

test('a visitor sends a form: a contact with a timeline, an event, and the consent in the words of then, asked by email first [spec-135]', async () => {
  const { user, form_id, email, send, change } = await aForm()
  expect((await call('show-lead-form', { form_id })).body).toMatchObject({ title: 'Contact us', consent_text: ask })
  expect((await send({ answers: [' '] })).body.code).toBe('form_answers')
  const key = { 'idempotency-key': newId() }
  const sent = { email: email.toUpperCase(), consent: true }
  for (const _ of [1, 2]) expect((await send(sent, key)).body).toEqual({ thanks: 'Thank you. We will get back to you.' })

  const [contact] = (await call('find-contacts', {}, user.headers)).body.contacts
  expect(contact).toMatchObject({ name: 'Ines Ortega', email, source: 'form', status: 'new' })
  const shown = (await call('show-contact', { contact_id: contact.id }, user.headers)).body
  expect(shown).toMatchObject({ points: 12, reasons: [{ kind: 'form', count: 1 }] })
  expect(shown.activities).toMatchObject([{ kind: 'form', text: `Sent the form Contact us\nWhat is it about?: A website\nAgreed: ${ask}` }])
  const told = await of(user, 'outbox', ['name', 'payload'])
  expect(told.map(({ name }: any) => name).filter((name: string) => name.startsWith('crm.'))).toEqual([
    'crm.lead_created',
    'crm.opt_in_mail',
    'crm.form_submitted',
  ])
  expect(told.at(-1).payload).toMatchObject({ contact_id: contact.id, form_id, email })
  expect(await of(user, 'email_opt_ins', ['email', 'confirmed_at'])).toEqual([{ email, confirmed_at: null }])
  expect(await of(user, 'consents', ['state'])).toEqual([])

  expect((await change(platform.user(), 1, { title: 'Stolen' })).body.code).toBe('not_found')
  expect((await change(user, 1, { title: 'Write to us', consent_text: 'Something else.' })).body.version).toBe(2)
  expect((await change(user, 1, {})).body.code).toBe('conflict')
  const { submissions } = (await call('list-submissions', { form_id }, user.headers)).body
  expect(submissions).toMatchObject([
    { title: 'Contact us', consent: ask, contact_id: contact.id, answers: [{ label: 'What is it about?', answer: 'A website' }] },
  ])
  expect((await call('list-submissions', { form_id }, platform.user().headers)).body.submissions).toEqual([])
  expect((await call('list-lead-forms', {}, user.headers)).body.forms).toMatchObject([{ id: form_id, sent: 1, version: 2 }])
})

test('a form that is off or deleted takes nothing, and what was sent and agreed to stays [spec-135]', async () => {
  const { user, form_id, send, change } = await aForm()
  await send({ consent: true })
  await change(user, 1, { active: false })
  expect([(await send()).status, (await call('show-lead-form', { form_id })).status]).toEqual([404, 404])
  expect((await call('delete-lead-form', { form_id }, platform.user().headers)).body.code).toBe('not_found')
  expect((await call('delete-lead-form', { form_id }, user.headers)).body.deleted).toBe(true)
  expect((await call('list-submissions', {}, user.headers)).body.submissions).toMatchObject([{ title: 'Contact us', consent: ask }])
})

test('consent counts only where it was asked and given, and never ends what the owner of an address has said [spec-135]', async () => {
  const consents = (user: TestUser) => of(user, 'consents', ['address', 'state', 'evidence'])
  const silent = await aForm({ double_opt_in: false })
  await silent.send()
  expect(await consents(silent.user)).toEqual([])
  await silent.send({ consent: true })
  expect(await consents(silent.user)).toEqual([{ address: silent.email, state: 'given', evidence: `Agreed: ${ask}` }])

  const unasked = await aForm({ consent_text: '', double_opt_in: false })
  await unasked.send({ consent: true })
  expect(await consents(unasked.user)).toEqual([])

  for (const double_opt_in of [true, false]) {
    const { user, email, send } = await aForm({ double_opt_in })
    const said = { id: newId(), user_id: user.id, channel: 'email', address: email, state: 'withdrawn', evidence: 'Unsubscribed' }
    await insert(db, 'consents', said)
    await send({ consent: true })
    expect(await consents(user)).toMatchObject([{ state: 'withdrawn' }])
    expect(await of(user, 'email_opt_ins', ['id'])).toEqual([])
    // Nor does the account's own program say it for them.
    expect((await call('add-lead', { name: 'Ines', email, consent: ask }, user.headers)).status).toBe(200)
    expect(await consents(user)).toMatchObject([{ state: 'withdrawn' }])
  }
})

test('an inbox that forms of others asked ten times today is not asked again, and the contact says so [S28]', async () => {
  const forms = []
  for (let n = 0; n < 11; n++) forms.push(await aForm())
  const { email } = forms[0]!
  for (const form of forms) expect((await form.send({ email, consent: true })).status).toBe(200)
  const said = async ({ user }: { user: TestUser }) => (await of(user, 'activities', ['text']))[0].text
  expect(await said(forms[9]!)).not.toContain('nothing was sent')
  expect(await said(forms[10]!)).toMatch(/many times today, so nothing was sent\. Ask again in 3 hours\./)
  expect(await of(forms[9]!.user, 'email_opt_ins', ['email'])).toEqual([{ email }])
  expect(await of(forms[10]!.user, 'email_opt_ins', ['email'])).toEqual([])
})

test('a program takes leads in with a key for that alone, and a known contact keeps what is known [spec-135]', async () => {
  const user = platform.user()
  const { key } = platform.key(user.id, { scopes: ['do:add-lead'] })
  const headers = { authorization: `Bearer ${key}` }
  const lead = { name: 'Bo', email: 'Bo@Example.com', company: 'Bo & Co', message: 'Call me', consent: ask }
  const first = await call('add-lead', lead, headers)
  expect(first.status, JSON.stringify(first.body)).toBe(200)
  expect((await call('add-lead', { name: 'Other', email: 'bo@example.com', phone: '+351 910 000 000' }, headers)).body).toEqual(first.body)
  for (const name of ['find-contacts', 'create-contact', 'list-submissions', 'create-lead-form'])
    expect((await call(name, { name: 'x', title: 'x' }, headers)).body.code, name).toBe('key_scope')
  const [contact] = (await call('find-contacts', {}, user.headers)).body.contacts
  expect(contact).toMatchObject({ name: 'Bo', company: 'Bo & Co', phone: '+351 910 000 000', source: 'api' })
  expect(await of(user, 'consents', ['state', 'evidence'])).toEqual([{ state: 'given', evidence: `Agreed: ${ask}` }])
})

test('a plain form of another site is answered with a page, a program with JSON, whatever they send [spec-135]', async () => {
  const { user, action } = await aForm({ thanks: 'Thanks <b>so</b> much' })
  const post = async (fields: Record<string, string>, accept = 'text/html,*/*') => {
    const response = await fetch(`${platform.url()}${action}`, { method: 'POST', headers: { accept }, body: new URLSearchParams(fields) })
    return { status: response.status, text: await response.text() }
  }
  const sent = await post({ name: 'Cy', email: 'cy@example.com', 'answer-0': 'Prices', phone: '', consent: 'on', extra: 'x' })
  expect(sent).toEqual({ status: 200, text: expect.stringContaining('Thanks &lt;b&gt;so&lt;/b&gt; much') })
  const read = await post({ name: 'Cy', email: 'cy@example.com' }, 'application/json')
  expect([read.status, JSON.parse(read.text).code]).toEqual([400, 'form_answers'])
  const refused = await post({ name: 'Cy', email: 'not an address', 'answer-0': 'Prices' })
  expect(refused).toEqual({ status: 400, text: expect.stringContaining('Fill in all the fields that are required.') })
  expect(await of(user, 'lead_submissions', ['email', 'phone', 'consent'])).toEqual([
    { email: 'cy@example.com', phone: null, consent: ask },
  ])
})

test('a stranger with many addresses uses up the day of no form: a visitor from elsewhere still sends it [S28]', {
  timeout: 60_000,
}, async () => {
  const { send } = await aForm({ consent_text: '' })
  const from = (network: number, n: number) =>
    send({ email: `many-${n}-${newId()}@example.com` }, { 'x-forwarded-for': `203.0.${network}.${n & 255}` })
  const answers = await Promise.all(Array.from({ length: 151 }, (_, n) => from(1, n)))
  expect(answers.filter(({ body }) => body.code === 'form_many')).toHaveLength(1)
  expect((await from(2, 0)).status).toBe(200)
})

test('one address is named five times a day at most, and a contact that is gone for good takes what it sent along [spec-135]', async () => {
  const { user, send } = await aForm()
  const answers = []
  for (let n = 0; n < 6; n++) answers.push((await send()).body.code ?? 200)
  expect(answers).toEqual([200, 200, 200, 200, 200, 'form_many'])
  const [contact] = (await call('find-contacts', {}, user.headers)).body.contacts
  await call('delete-contact', { contact_id: contact.id }, user.headers)
  expect((await call('list-submissions', {}, user.headers)).body.submissions[0].contact_id).toBeNull()
  await update(db, 'contact_images', { user_id: user.id }, { at: new Date(0) })
  const { forgetDeleted } = await import('../contacts/delete.ts')
  await forgetDeleted({ db, signal: new AbortController().signal })
  expect(await of(user, 'lead_submissions', ['id'])).toEqual([])
})

test('an account that is full takes in nobody new, and still hears from those it knows [spec-135]', async () => {
  const { user, send } = await aForm()
  await send()
  await update(db, 'contact_counts', { user_id: user.id }, { contacts: 250_000 })
  expect((await send({ email: `new-${newId()}@example.com` })).body.code).toBe('contacts_full')
  expect((await send()).status).toBe(200)
  expect(await of(user, 'lead_submissions', ['id'])).toHaveLength(2)
})
