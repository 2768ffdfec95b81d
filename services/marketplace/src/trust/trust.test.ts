import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { userUpdated } from '@operon/contracts/identity/events'
import { newId } from '@operon/kit/ids'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { tokenOf } from '../orders/links.ts'
import { endBans, learnBans } from '../profiles/profiles.ts'
import { marketplaceService } from '../service.ts'

const clamd: Server = createServer({ allowHalfOpen: true }, answerAsClamd)
clamd.listen(0, '127.0.0.1')
await once(clamd, 'listening')
const platform = await startTestService(marketplaceService, { CLAMAV: `127.0.0.1:${(clamd.address() as { port: number }).port}` })
const db: any = platform.services.marketplace!.rt.db
afterAll(async () => {
  await platform.close()
  clamd.close()
})

/** Speaks INSTREAM as clamd does: lengths before the pieces, an empty one at the end. */
function answerAsClamd(socket: import('node:net').Socket) {
  let heard = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (piece) => {
    heard = Buffer.concat([heard, piece])
    const content: Buffer[] = []
    for (let at = 'zINSTREAM\0'.length; at + 4 <= heard.length; ) {
      const length = heard.readUInt32BE(at)
      if (length === 0) {
        const found = Buffer.concat(content).includes('EICAR')
        return socket.end(found ? 'stream: Eicar-Signature FOUND\0' : 'stream: OK\0')
      }
      if (at + 4 + length > heard.length) return
      content.push(heard.subarray(at + 4, at + 4 + length))
      at += 4 + length
    }
  })
}

const send = (path: string, user: TestUser | null, headers: Record<string, string>, body?: string, method = 'POST') =>
  fetch(platform.url() + path, { method, headers: { ...user?.headers, ...headers }, ...(body !== undefined && { body }) })
const { call } = platform
const made = { title: 'Five questions', description: 'Asks them.', price_cents: 4900, category: 'Marketing', item_type: 'workflow' }
async function published(user: TestUser) {
  const { body } = await call('create-product', user, made)
  expect((await call('publish-product', user, body)).status).toBe(200)
  return body.item_id as string
}
const staff = () => platform.user({ app_metadata: { staff: true }, aal: 'aal2' })
const saysWhy = { reason: 'Looking at what was reported' }
const itemOf = (id: string) => db.selectFrom('items').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const told = async (user: TestUser) =>
  (
    await db
      .selectFrom('outbox')
      .select('payload')
      .where('name', '=', 'marketplace.listing_moderated')
      .where('user_id', '=', user.id)
      .execute()
  ).map((row: any) => row.payload.decision)
const { upload } = platform

test('what visitors report stands in a queue that staff alone see, and more than enough of one thing is not kept', async () => {
  const ann = platform.user()
  const item_id = await published(ann)
  for (let n = 0; n < 4; n++) expect((await call('report-listing', null, { item_id, reason: 'copied', text: `No. ${n}` })).status).toBe(200)
  await insert(
    db,
    'reports',
    Array.from({ length: 46 }, () => ({ id: newId(), item_id, seller_id: ann.id, reason: 'other' })),
  )
  expect((await call('report-listing', platform.user(), { item_id, reason: 'malware' })).status).toBe(200)
  expect((await call('report-listing', null, { item_id: newId(), reason: 'other' })).status).toBe(404)
  expect((await call('report-listing', null, { reason: 'other' })).status).toBe(400)
  for (const user of [null, ann]) expect((await call('staff-reports', user, saysWhy)).status).toBeGreaterThanOrEqual(401)
  expect((await call('staff-moderate', ann, { item_id, seller_id: ann.id, decision: 'takedown', ...saysWhy })).status).toBe(403)
  const { body } = await call('staff-reports', staff(), saysWhy)
  expect(body.open.filter((one: any) => one.item_id === item_id)).toMatchObject([
    { title: 'Five questions', reports: 50, suspended: false },
  ])
  // The operator's key decides as staff do.
  const operator = { headers: { authorization: 'Bearer test-service-key-0123456789', apikey: 'anon' } } as TestUser
  expect(await call('staff-moderate', operator, { item_id, seller_id: ann.id, decision: 'dismiss', ...saysWhy })).toMatchObject({
    status: 200,
    body: { reports_closed: 50 },
  })
})

test('what is taken down is bought and seen by nobody, its seller is told why, and it comes back when staff say so', async () => {
  const [ann, judge] = [platform.user(), staff()]
  const item_id = await published(ann)
  await call('report-listing', null, { item_id, reason: 'copied' })
  const decide = (decision: string) =>
    call('staff-moderate', judge, { item_id, seller_id: ann.id, decision, reason: 'It is a copy of another product.' })
  expect((await decide('takedown')).body).toEqual({ reports_closed: 1 })
  expect((await call('start-checkout', null, { item_id })).body.code).toBe('not_for_sale')
  await call('publish-product', ann, { item_id })
  expect(await itemOf(item_id)).toMatchObject({ status: 'active', is_active: false })
  expect((await call('read-product', ann, { item_id })).body.suspended_because).toBe('It is a copy of another product.')
  expect(await told(ann)).toEqual(['takedown'])
  await decide('restore')
  expect((await itemOf(item_id)).is_active).toBe(true)
  const decided = (await call('staff-reports', judge, saysWhy)).body.decided
  expect(decided.filter((one: any) => one.item_id === item_id)).toMatchObject([
    { decision: 'restore', by: judge.id },
    { decision: 'takedown', by: judge.id },
  ])
})

test('a suspended seller sells nothing, whatever they publish, and their buyers’ orders stay as they are', async () => {
  const [ann, judge] = [platform.user(), staff()]
  await insert(db, 'profiles', { user_id: ann.id, display_name: 'Ann', version: 1 })
  const sold = await published(ann)
  const { current_version_id: version_id } = await itemOf(sold)
  const order = {
    id: newId(),
    item_id: sold,
    version_id,
    seller_id: ann.id,
    title: 'x',
    currency: 'usd',
    amount_cents: 4900,
    state: 'delivered',
  }
  await insert(db, 'orders', { ...order, token_hash: Buffer.from(newId()) })
  const before = await db.selectFrom('orders').selectAll().where('id', '=', order.id).executeTakeFirst()
  const decide = (decision: string) => call('staff-moderate', judge, { seller_id: ann.id, decision, reason: 'Sells what is not theirs.' })
  expect((await decide('suspend')).status).toBe(200)
  const later = await published(ann)
  for (const id of [sold, later]) {
    expect((await itemOf(id)).is_active).toBe(false)
    expect((await call('start-checkout', null, { item_id: id })).body.code).toBe('not_for_sale')
  }
  expect((await call('business-profile', ann)).body.suspended_because).toBe('Sells what is not theirs.')
  expect(await db.selectFrom('orders').selectAll().where('id', '=', order.id).executeTakeFirst()).toEqual(before)
  await decide('reinstate')
  expect([(await itemOf(sold)).is_active, (await itemOf(later)).is_active]).toEqual([true, true])
  expect(await told(ann)).toEqual(['suspend', 'reinstate'])
})

test('a file is sold once the engine has looked at it, and one with malware is not', async () => {
  const ann = platform.user()
  const { item_id } = (await call('create-product', ann, { ...made, kind: 'file' })).body
  const scanned = (id: string) => db.selectFrom('files').select('scan').where('id', '=', id).executeTakeFirstOrThrow()
  const bad = await upload(ann, 'X5O!P%@AP EICAR test')
  expect((await call('attach-product-file', ann, { item_id, file_id: bad })).body.scans_files).toBe(true)
  await expect.poll(() => scanned(bad), { timeout: 15_000 }).toEqual({ scan: 'infected' })
  expect((await call('publish-product', ann, { item_id })).body.detail).toContain('malware')
  await call('detach-product-file', ann, { item_id, file_id: bad })
  const good = await upload(ann, 'nothing but text')
  await call('attach-product-file', ann, { item_id, file_id: good })
  await expect.poll(() => scanned(good), { timeout: 15_000 }).toEqual({ scan: 'clean' })
  await expect.poll(async () => (await call('publish-product', ann, { item_id })).status, { timeout: 15_000 }).toBe(200)
})

test('what an account sells that an operator keeps out is off sale at once, its buyers keep their downloads, and it comes back with the account', async () => {
  const ann = platform.user()
  const item_id = await published(ann)
  const file_id = await upload(ann, 'one two three')
  const { current_version_id: version_id } = await itemOf(item_id)
  const order_id = newId()
  const order = {
    id: order_id,
    item_id,
    version_id,
    seller_id: ann.id,
    title: 'x',
    currency: 'usd',
    amount_cents: 4900,
    state: 'delivered',
  }
  await insert(db, 'orders', { ...order, token_hash: Buffer.from(order_id) })
  // Beside what was published, whose version never changes.
  const bought = newId()
  await insert(db, 'item_versions', { id: bought, item_id, number: 9, price_cents: 4900, currency: 'usd' })
  const file = { version_id: bought, file_id, name: 'guide.txt', bytes: 13, sha256: 'x', type: 'text/plain', position: 0 }
  await insert(db, 'version_files', file)
  await update(db, 'order_lines', { order_id }, { kept_version_id: bought })
  const told = (version: number, banned_until: string | null) =>
    platform.emit(userUpdated, ann.id, { email: null, name: 'Ann', referral_code: null, role: 'seller', banned_until, version })
  const onSale = (is: boolean) => expect.poll(async () => (await itemOf(item_id)).is_active, { timeout: 15_000 }).toBe(is)
  await told(2, new Date(Date.now() + 86_400_000).toISOString())
  await onSale(false)
  expect((await call('start-checkout', null, { item_id })).body.code).toBe('not_for_sale')
  const later = await published(ann)
  expect((await itemOf(later)).is_active).toBe(false)
  const token = tokenOf(platform.services.marketplace!.rt.vault, order_id)
  const { url } = (await call('order-download', null, { token, file_id })).body
  expect(await (await send(new URL(url).pathname, null, {}, undefined, 'GET')).text()).toBe('one two three')
  await told(3, null)
  await onSale(true)
  // One that ends by itself.
  await told(4, new Date(Date.now() + 86_400_000).toISOString())
  await onSale(false)
  await told(5, null)
  await onSale(true)
  // One from before bans were told of, which a newer event has not ended.
  const learn = (version: number) => {
    const accounts = [{ user_id: ann.id, banned_until: new Date(Date.now() + 86_400_000).toISOString(), version }]
    return learnBans(platform.services.marketplace!.rt.ctx() as never, async () => ({ accounts, more: false }))
  }
  await learn(4)
  expect((await itemOf(item_id)).is_active).toBe(true)
  await learn(5)
  expect((await itemOf(item_id)).is_active).toBe(false)
  await endBans(platform.services.marketplace!.rt.ctx() as never)
  expect((await itemOf(item_id)).is_active).toBe(false)
  await update(db, 'profiles', { user_id: ann.id }, { banned_until: new Date(Date.now() - 1000) })
  await endBans(platform.services.marketplace!.rt.ctx() as never)
  expect([(await itemOf(item_id)).is_active, (await itemOf(later)).is_active]).toEqual([true, true])
})
