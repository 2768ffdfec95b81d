import { storageBytes } from '@operon/contracts/files'
import { MOST_BOARDS } from '@operon/contracts/media/boards'
import { newId } from '@operon/kit/ids'
import { insert } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { cleaning, turns, unpacking } from '../pixels/turns.ts'
import { mediaService } from '../service.ts'

const platform = await startTestPlatform([mediaService, sandboxService], { SANDBOX_MODEL_PACE_MS: '0' })
const { db, storage }: { db: any; storage: any } = platform.services.media!.rt
afterAll(() => platform.close())

const call = (user: TestUser, name: string, body: object = {}) => platform.call(name, user, body)
const here = (url: string) => url.replace('http://localhost:8080', platform.url('media'))
const made = async (user: TestUser, prompt = 'a red bicycle') => (await call(user, 'generate-image', { prompt, size: '512x512' })).body
const bytesOf = async (url: string) => new Uint8Array(await (await fetch(here(url))).arrayBuffer())
const inputsOf = async (user: TestUser) => (await storage.list(`inputs/${user.id}/`)).length

test('what is brought to an order that comes to nothing is not kept: one picture is none, or the plan has no image left', async () => {
  const user = platform.user()
  const picture = await platform.upload(user, await bytesOf((await made(user)).image))
  const page = await platform.upload(user, '<html>')
  const start = (reference_ids: string[]) => call(user, 'start-images', { prompt: 'in blue', reference_ids })
  expect((await start([picture, page])).body.code).toBe('image_unreadable')
  expect(await inputsOf(user)).toBe(0)
  await db.updateTable('usage_counters').set({ cost_used: 1e9 }).where('user_id', '=', user.id).execute()
  expect((await start([picture])).body.code).toBe('limit_budget')
  expect(await inputsOf(user)).toBe(0)
})

test('whoever starts and stops pictures in turn keeps no more of what was brought along than forty orders', async () => {
  const user = platform.user()
  const picture = await platform.upload(user, await bytesOf((await made(user)).image))
  for (let n = 0; n < 42; n++) {
    const [id, batch_id, key] = [newId(), newId(), `inputs/${user.id}/old/${n}.png`]
    await storage.put(key, Buffer.from('x'), { contentType: 'image/png' })
    const order = { prompt: 'a boat', model: 'flux', used_model: 'flux', size: '512x512', width: 512, height: 512, may_fall_back: false }
    await insert(db, 'pictures', {
      ...{ id, batch_id, user_id: user.id, ...order, state: 'cancelled', reservation_id: newId(), inputs: [key] },
      finished_at: sql`now() - ${n} * interval '1 minute'`,
    })
  }
  expect((await call(user, 'start-images', { prompt: 'in blue', reference_ids: [picture] })).status).toBe(200)
  const kept = async () => (await storage.list(`inputs/${user.id}/old/`)) as { key: string }[]
  await expect.poll(async () => (await kept()).length).toBe(40)
  const old = await kept()
  expect(old.map(({ key }: any) => key)).not.toContain(`inputs/${user.id}/old/41.png`)
  const gone = db.selectFrom('pictures').select('id').where('user_id', '=', user.id).where('inputs_gone', '=', true)
  await expect.poll(async () => (await gone.execute()).length).toBe(2)
})

test('a board is brought back only where there is room for it', async () => {
  const user = platform.user()
  const { board_id } = (await call(user, 'create-board', { name: 'Spring' })).body
  await call(user, 'delete-board', { board_id })
  const rows = Array.from({ length: MOST_BOARDS }, (_, n) => ({ id: newId(), user_id: user.id, name: `Board ${n}` }))
  await db.insertInto('boards').values(rows).execute()
  expect((await call(user, 'restore-board', { board_id })).body.code).toBe('too_many_boards')
  await call(user, 'delete-board', { board_id: rows[0]!.id })
  const both = await Promise.all([board_id, rows[0]!.id].map((id) => call(user, 'restore-board', { board_id: id })))
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
})

test('a picture that finds no room as a file leaves no copy under its public name', async () => {
  const user = platform.user()
  const { picture_id } = await made(user)
  await db.updateTable('file_usage').set({ bytes: storageBytes.none }).where('user_id', '=', user.id).execute()
  expect((await call(user, 'publish-image', { picture_id })).body.code).toBe('storage_quota')
  expect(await storage.list(`public/${user.id}/`)).toEqual([])
})

test('a link to the file of a picture ends with the picture, and an account without an address makes none', async () => {
  const user = platform.user()
  const { picture_id } = await made(user)
  const { url } = (await call(user, 'media-file-link', { file_id: picture_id })).body
  const open = async () => (await fetch(here(url))).status
  expect(await open()).toBe(200)
  await call(user, 'delete-image', { picture_id })
  expect(await open()).toBe(404)
  await call(user, 'restore-image', { picture_id })
  expect(await open()).toBe(200)
  const nobody = platform.user({ is_anonymous: true })
  const file_id = await platform.upload(nobody, 'a text')
  expect((await call(nobody, 'media-file-link', { file_id })).body.code).toBe('anonymous_no_address')
})

test('a person’s pictures are sent, cleaned and published one after the other, and somebody else’s meanwhile', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const [hers, his] = [await made(ann), await made(bob)]
  const upload = await platform.upload(ann, await bytesOf(hers.image))
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const first = [unpacking(ann.id, () => gate), cleaning(ann.id, () => gate)]
  const get = (user: TestUser, id: string) =>
    fetch(`${platform.url('media')}/files/v1/media/~pictures/${id}?format=webp`, { headers: user.headers })
  const ended: string[] = []
  const waits = [
    get(ann, hers.picture_id).then(() => ended.push('sent')),
    call(ann, 'start-images', { prompt: 'in blue', reference_ids: [upload] }).then(() => ended.push('cleaned')),
    call(ann, 'publish-image', { file_id: upload }).then(() => ended.push('published')),
  ]
  expect((await get(bob, his.picture_id)).status).toBe(200)
  expect((await call(bob, 'publish-image', { picture_id: his.picture_id })).status).toBe(200)
  expect(ended).toEqual([])
  open()
  await Promise.all([...first, ...waits])
  expect(ended.toSorted()).toEqual(['cleaned', 'published', 'sent'])
})

test('an order has no transaction open while what it brings is read and encoded, and one whose call died is found by its key', async () => {
  const user = platform.user()
  const upload = await platform.upload(user, await bytesOf((await made(user)).image))
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const before = cleaning(user.id, () => gate)
  const asked = { prompt: 'in blue', count: 2, reference_ids: [upload] }
  const start = (body: object = asked) => platform.call('start-images', user, body, { 'idempotency-key': 'blue' })
  const ordered = start()
  const mark = db.selectFrom('idempotency_keys').select('reply').where('key', '=', 'blue')
  await expect.poll(async () => (await mark.execute()).length).toBe(1)
  const { rows } = await sql`
    select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`.execute(db)
  expect(rows).toEqual([])
  open()
  await before
  const { batch_id } = (await ordered).body
  // Its process died with the answer in its hands.
  await sql`update idempotency_keys set status = null, reply = null, created_at = now() - interval '1 minute' where key = 'blue'`.execute(
    db,
  )
  const { body } = await start()
  expect([body.batch_id, body.pictures.length]).toEqual([batch_id, 2])
  const orders = await db.selectFrom('pictures').select('id').where('user_id', '=', user.id).where('prompt', '=', 'in blue').execute()
  expect(orders).toHaveLength(2)
  expect((await start({ ...asked, count: 1 })).body.code).toBe('idempotency_mismatch')
})

test('of one person one picture is unpacked after the other, of all together few at once, and nobody waits behind a person’s whole line', async () => {
  const inTurn = turns(2, 3)
  const ends: [who: string, end: () => void][] = []
  const work = (who: string) => inTurn(who, () => new Promise<void>((end) => void ends.push([who, end])))
  const all = ['ann', 'ann', 'ann', 'ann', 'bob', 'cid'].map(work)
  const fifth = work('ann').catch((error) => error.code)
  await expect.poll(() => ends.map(([who]) => who)).toEqual(['ann', 'bob'])
  expect(await fifth).toBe('rate_limited')
  ends.shift()![1]()
  await all[0]
  await expect.poll(() => ends.map(([who]) => who)).toEqual(['bob', 'cid'])
  for (let n = 0; n < 5; n++) {
    await expect.poll(() => ends.length).toBeGreaterThan(0)
    ends.shift()![1]()
  }
  await Promise.all(all)
})
