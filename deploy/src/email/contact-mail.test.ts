import { connectingIn } from '@operon/integrations/testing'
import { newId } from '@operon/kit/ids'
import { insert, update } from '@operon/kit/testing/rows'
import type { TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { emailWorld } from './world.ts'

const world = await emailWorld()
const { platform, call, db } = world
const { connected, sandbox, grantsOf, steer } = connectingIn(platform)
afterAll(() => platform.close())

const arrives = (email: string, from: string, subject: string) =>
  fetch(`${sandbox}/sandbox/apps/happen`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ app: 'gmail', email, from, subject, text: 'The first words of it' }),
  })
const add = async (user: TestUser, body: object) => (await call('create-contact', user, body)).body.contact_id as string
const find = (user: TestUser, contact_id: string) => call('find-contact-mail', user, { contact_id })
const subjects = ({ body }: any) => body.messages.map(({ subject }: any) => subject)
const mailbox = async (user: TestUser) => {
  const connection_id = await connected(user, 'gmail')
  expect((await call('update-mailbox', user, { connection_id, on_timelines: true }, 'integrations')).status).toBe(200)
  return connection_id
}
/** Every row of both services that has the words of an email in it. */
async function kept(words: string) {
  const found: string[] = []
  for (const service of ['crm', 'integrations']) {
    const own: any = platform.services[service]!.rt.db
    for (const { name, schema, isView } of await own.introspection.getTables()) {
      if (isView) continue
      const rows = await own.withSchema(schema).selectFrom(name).selectAll().execute()
      if (JSON.stringify(rows).includes(words)) found.push(`${service}.${name}`)
    }
  }
  return found
}

test('a contact shows the emails of its own addresses, and none of them is kept', async () => {
  const ann = platform.user()
  await mailbox(ann)
  const ines = await add(ann, { name: 'Ines', email: 'ines@harbour.example' })
  await insert(db, 'contact_emails', { id: newId(), user_id: ann.id, email: 'ines@home.example', contact_id: ines })
  const tom = await add(ann, { name: 'Tom', email: 'tom@reed.example' })
  await arrives(ann.email, 'ines@harbour.example', 'From work')
  await arrives(ann.email, 'ines@home.example', 'From home')
  await arrives(ann.email, 'tom@reed.example', 'Of Tom')
  const found = await find(ann, ines)
  expect([found.status, subjects(found).sort()]).toEqual([200, ['From home', 'From work']])
  expect(found.body.mailboxes).toMatchObject([{ app: 'gmail', account: ann.email, state: 'read' }])
  expect(subjects(await find(ann, tom))).toEqual(['Of Tom'])
  expect(await kept('The first words of it')).toEqual([])
  expect(await kept('From work')).toEqual([])
})

test('a contact without an address asks nothing, and the contact of another account is not found', async () => {
  const [ann, eve] = [platform.user(), platform.user()]
  const connection_id = await mailbox(ann)
  const nobody = await add(ann, { name: 'No address' })
  expect((await find(ann, nobody)).body).toEqual({ messages: [], mailboxes: [], cursor: null })
  const ines = await add(ann, { name: 'Ines', email: 'ines@harbour.example' })
  expect((await find(eve, ines)).status).toBe(404)
  await new Promise((resolve) => setTimeout(resolve, 80))
  const calls = platform.services.integrations!.rt.db as any
  expect(await calls.selectFrom('connection_calls').select('action').where('connection_id', '=', connection_id).execute()).toEqual([])
  // An address that no email can have, from a time when it was taken.
  await update(db, 'leads', { id: nobody }, { email: 'not an address' })
  expect((await find(ann, nobody)).body).toEqual({ messages: [], mailboxes: [], cursor: null })
})

test('the contact and its timeline open while its mailbox is broken', async () => {
  const ann = platform.user()
  await mailbox(ann)
  const ines = await add(ann, { name: 'Ines', email: 'ines@harbour.example' })
  await call('add-note', ann, { contact_id: ines, text: 'Wants a quote' })
  for (const grant of await grantsOf(ann.email)) await steer(grant.id, 'cut')
  const found = await find(ann, ines)
  expect([found.status, found.body.messages, found.body.mailboxes[0].state]).toEqual([200, [], 'broken'])
  expect((await call('show-contact', ann, { contact_id: ines })).body.activities).toMatchObject([{ text: 'Wants a quote' }])
})
