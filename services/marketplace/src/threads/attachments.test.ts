import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { storageBytes } from '@operon/contracts/files'
import { userUpdated } from '@operon/contracts/identity/events'
import { GUEST_BYTES } from '@operon/contracts/marketplace/threads'
import { newId } from '@operon/kit/ids'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, expect, test, vi } from 'vitest'
import { tokenOf } from '../orders/links.ts'
import { marketplaceService } from '../service.ts'
import { inboundOf, replyAddress } from './relay.ts'

const platform = await startTestPlatform([marketplaceService, sandboxService])
const rt: any = platform.services.marketplace!.rt
const db: any = rt.db
afterAll(() => platform.close())

const within = { timeout: 15_000, interval: 50 }
const { call } = platform
const upload = (user: TestUser, name: string, content: string | Uint8Array) =>
  platform.upload(user, content, { filename: name, filetype: 'text/plain' })
const verified = async (user: TestUser, email: string) => {
  await platform.emit(userUpdated, user.id, { email, email_verified: true, name: 'Mara', referral_code: null, role: null, version: 2 })
  await vi.waitFor(
    async () =>
      expect(await db.selectFrom('profiles').select('email').where('user_id', '=', user.id).executeTakeFirst()).toEqual({ email }),
    within,
  )
}
async function bought(seller: TestUser, buyer: TestUser | null, email: string) {
  const [order_id, item_id] = [newId(), newId()]
  await insert(db, 'items', {
    id: item_id,
    user_id: seller.id,
    title: 'Guide',
    category: 'Sales',
    price_cents: 4900,
    item_type: 'pdf',
    status: 'active',
  })
  await insert(db, 'orders', {
    ...{ id: order_id, item_id, seller_id: seller.id, buyer_id: buyer?.id ?? null, email, title: 'Guide', amount_cents: 4900 },
    ...{ currency: 'usd', token_hash: Buffer.from(order_id), state: 'delivered', delivered_at: new Date() },
  })
  await db
    .insertInto('order_lines')
    .values({ order_id, item_id, position: 0, title: 'Guide', list_cents: 4900, amount_cents: 4900 })
    .onConflict((conflict: any) => conflict.doNothing())
    .execute()
  return { order_id, item_id, token: tokenOf(rt.vault, order_id) }
}
const mailTo = (to: string, subject: RegExp) =>
  vi.waitFor(async () => {
    const at = `${platform.url('sandbox')}/sandbox/api/inbox?to=${encodeURIComponent(to)}`
    const found = ((await (await fetch(at)).json()) as any).messages.find((mail: any) => subject.test(mail.subject))
    expect(found).toBeTruthy()
    return found
  }, within)
const open = async (url: string) => {
  const answer = await fetch(platform.url() + new URL(url).pathname + new URL(url).search)
  return { status: answer.status, said: answer.headers.get('content-disposition'), text: await answer.text() }
}
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

test('files in a message are the author’s own, no programs and bounded, and are opened by the two sides alone [spec-100] [S13]', {
  timeout: 60_000,
}, async () => {
  const [ann, mara, stranger] = [platform.user(), platform.user(), platform.user()]
  const { order_id, token } = await bought(ann, mara, `mara-${mara.id}@example.com`)
  const shot = await upload(mara, 'shot.png', PIXEL)
  const sent = await call('message-seller', mara, { order_id, text: 'See the picture.', file_ids: [shot] })
  expect(sent.body.message.files).toMatchObject([{ file_id: shot, name: 'shot.png', type: 'image/png' }])
  const [{ id: thread_id }] = (await call('list-threads', ann, {})).body.threads
  // By its name, by what is in it, by its size, and by whose it is.
  const program = await upload(mara, 'setup.exe', 'MZ')
  const disguised = await upload(mara, 'photo.png', Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), Buffer.alloc(100)]))
  const large = await upload(mara, 'large.txt', 'x')
  await update(db, 'files', { id: large }, { bytes: 25 * 1024 * 1024 + 1 })
  const refused = async (user: TestUser, file_id: string) =>
    (await call('answer-message', user, { thread_id, text: 'Again', file_ids: [file_id] })).body.code
  expect([await refused(mara, program), await refused(mara, disguised)]).toEqual(['attachment_forbidden', 'attachment_forbidden'])
  expect([await refused(mara, large), await refused(ann, shot)]).toEqual(['attachment_too_large', 'attachment_unknown'])
  expect((await call('answer-message', mara, { thread_id, text: 'x', file_ids: Array.from({ length: 6 }, () => newId()) })).status).toBe(
    400,
  )
  expect(await db.selectFrom('message_files').selectAll().where('file_id', '!=', shot).execute()).toEqual([])
  const fix = await upload(ann, 'fix.html', '<script>alert(1)</script>')
  expect((await call('answer-message', ann, { thread_id, text: 'Try this.', file_ids: [fix] })).status).toBe(200)
  // The seller by the conversation, the buyer as well, and a guest by the order’s link; saved as a file and never shown as a page.
  const asked = [
    call('thread-file', ann, { thread_id, file_id: shot }),
    call('thread-file', mara, { thread_id, file_id: fix }),
    call('thread-file', null, { token, file_id: fix }),
  ]
  const [forAnn, forMara, byLink] = await Promise.all(asked)
  expect(await open(forAnn!.body.url)).toMatchObject({ status: 200, said: expect.stringContaining('attachment; filename="shot.png"') })
  for (const answer of [forMara, byLink])
    expect(await open(answer!.body.url)).toMatchObject({ status: 200, said: expect.stringContaining('attachment; filename="fix.html"') })
  expect((await call('thread-file', stranger, { thread_id, file_id: shot })).status).toBe(404)
  expect((await call('thread-file', null, { thread_id, file_id: shot })).status).toBe(404)
  expect((await call('thread-file', null, { token: `${token.slice(0, -3)}abc`, file_id: shot })).status).toBe(404)
  expect((await call('thread-file', null, { file_id: shot })).status).toBe(404)
  const other = await bought(ann, null, 'guest@example.com')
  // A conversation of one's own opens no file of another.
  expect((await call('message-seller', null, { token: other.token, text: 'Hello' })).status).toBe(200)
  expect((await call('thread-file', null, { token: other.token, file_id: shot })).status).toBe(404)
})

test('files of an email reply are kept, a guest’s at the seller, and who sent others is told [spec-100]', {
  timeout: 60_000,
}, async () => {
  const ann = platform.user()
  const [seller, guest] = [`ann-${ann.id}@example.com`, `guest-${ann.id}@example.com`]
  await verified(ann, seller)
  const { order_id, token } = await bought(ann, null, guest)
  expect((await call('message-seller', null, { token, text: 'Hello' })).status).toBe(200)
  const { id: thread_id } = await db.selectFrom('threads').select('id').where('order_id', '=', order_id).executeTakeFirstOrThrow()
  const inbound = inboundOf(rt)!
  async function mail(side: 'buyer' | 'seller', files: Record<string, [string, Uint8Array | string]>, more: Record<string, string> = {}) {
    const [timestamp, nonce] = [String(Math.floor(Date.now() / 1000)), newId()]
    const signature = createHmac('sha256', inbound.key)
      .update(timestamp + nonce)
      .digest('hex')
    const body = new FormData()
    const recipient = replyAddress(rt.vault, inbound, thread_id, side)
    for (const [name, value] of Object.entries({ timestamp, token: nonce, signature, recipient, 'stripped-text': 'With files.', ...more }))
      body.append(name, value)
    for (const [field, [name, content]] of Object.entries(files)) body.append(field, new File([Buffer.from(content)], name), name)
    return (await (await fetch(`${platform.url()}/webhooks/mail/mailgun`, { method: 'POST', body })).json()) as any
  }
  const last = async () => (await call('order-messages', null, { token })).body.messages.at(-1)
  const inSpace = async (user: TestUser) =>
    Number((await db.selectFrom('file_usage').select('bytes').where('user_id', '=', user.id).executeTakeFirst())?.bytes ?? 0)
  const four = {
    'attachment-1': ['guide.txt', 'one two'] as [string, string],
    'attachment-2': ['setup.exe', 'MZ'] as [string, string],
    // The logo of a signature stands in the text.
    'attachment-3': ['logo.png', PIXEL] as [string, Uint8Array],
  }
  const once = { 'Message-Id': '<files@x>', 'content-id-map': '{"<logo>": "attachment-3"}' }
  expect(await mail('seller', four, once)).toEqual({ taken: true })
  expect(await mail('seller', four, once)).toEqual({ taken: true })
  expect(await last()).toMatchObject({ from: 'seller', text: 'With files.', files_left: 1, files: [{ name: 'guide.txt', bytes: 7 }] })
  expect(await inSpace(ann)).toBe(7)
  const { url } = (await call('thread-file', null, { token, file_id: (await last()).files[0].file_id })).body
  expect((await open(url)).text).toBe('one two')
  expect((await mailTo(seller, /One file did not reach/)).text).toContain('Programs are not accepted')
  // A guest has no space: what fits is in the seller's.
  await mail('buyer', { 'attachment-1': ['shot.png', PIXEL], 'attachment-2': ['long.txt', Buffer.alloc(GUEST_BYTES, 'a')] })
  expect(await last()).toMatchObject({ from: 'buyer', files_left: 1, files: [{ name: 'shot.png', type: 'image/png' }] })
  expect(await inSpace(ann)).toBe(7 + PIXEL.length)
  expect((await mailTo(guest, /One file did not reach Mara/)).text).toContain('10 MB in all')
  // Nothing fits where the plan is full: the words arrive all the same, and nothing stays in the store.
  await update(db, 'file_usage', { user_id: ann.id }, { bytes: storageBytes.none })
  await mail('seller', { 'attachment-1': ['more.txt', 'three'] })
  expect(await last()).toMatchObject({ from: 'seller', files_left: 1, files: [] })
  expect(await rt.storage.list(`files/${ann.id}/`)).toHaveLength(2)
})

test('a guest sends files with a message, which the seller keeps, bounded by the message, the conversation and the space [spec-100] [S13]', {
  timeout: 60_000,
}, async () => {
  const ann = platform.user()
  const { token } = await bought(ann, null, `guest-${ann.id}@example.com`)
  async function send(files: [string, Uint8Array | string][], by: Record<string, string> = { token, text: 'See this.' }) {
    const body = new FormData()
    for (const [name, value] of Object.entries(by)) body.append(name, value)
    for (const [name, content] of files) body.append('files', new File([Buffer.from(content)], name), name)
    const response = await fetch(`${platform.url()}/functions/v1/message-seller-files`, { method: 'POST', body })
    return { status: response.status, body: (await response.json()) as any }
  }
  const sent = await send([
    ['shot.png', PIXEL],
    ['page.html', '<script>alert(1)</script>'],
  ])
  expect(sent.status).toBe(200)
  const [shot, page] = sent.body.message.files
  expect([shot, page]).toMatchObject([
    { name: 'shot.png', type: 'image/png' },
    { name: 'page.html', type: 'application/octet-stream' },
  ])
  const [{ id: thread_id }] = (await call('list-threads', ann, {})).body.threads
  const forAnn = await call('thread-file', ann, { thread_id, file_id: page.file_id })
  expect(await open(forAnn.body.url)).toMatchObject({ status: 200, said: expect.stringContaining('attachment; filename="page.html"') })
  expect((await call('thread-file', null, { token, file_id: shot.file_id })).status).toBe(200)
  expect(await db.selectFrom('files').select('user_id').where('id', '=', shot.file_id).executeTakeFirst()).toEqual({ user_id: ann.id })

  const kept = async () => [
    (await rt.storage.list(`files/${ann.id}/`)).length,
    (await db.selectFrom('thread_messages').selectAll().where('thread_id', '=', thread_id).execute()).length,
  ]
  expect(await kept()).toEqual([2, 1])
  const code = async (files: [string, Uint8Array | string][], by?: Record<string, string>) => (await send(files, by)).body.code
  const small = (n: number) => Array.from({ length: n }, (_, at): [string, string] => [`${at}.txt`, 'x'])
  expect(await code([['setup.exe', 'MZ']])).toBe('attachment_forbidden')
  expect(await code(small(6))).toBe('attachment_too_many')
  expect(
    await code([
      ['a.txt', Buffer.alloc(6 * 1024 * 1024)],
      ['b.txt', Buffer.alloc(4 * 1024 * 1024 + 1)],
    ]),
  ).toBe('attachment_too_many')
  expect(await code(small(1), { token: `${token.slice(0, -3)}abc`, text: 'x' })).toBe('not_found')
  expect(await code(small(1), { token, text: '' })).toBe('invalid')
  expect(await code([], { token })).toBe('invalid')
  // A wrong token ends it before the form is taken apart; one that does not come first is not looked for.
  const broken = async (given: string) => {
    const body = `--b\r\nContent-Disposition: form-data; name="token"\r\n\r\n${given}\r\n--b\r\n${'x'.repeat(5_000_000)}`
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    return ((await (await fetch(`${platform.url()}/functions/v1/message-seller-files`, { method: 'POST', headers, body })).json()) as any)
      .code
  }
  expect([await broken(`${token.slice(0, -3)}abc`), await broken(token)]).toEqual(['not_found', 'invalid'])
  expect(await code(small(1), { text: 'See this.', token })).toBe('invalid')
  // Before it is paid nobody was asked for an address, so there is nobody to write to.
  const become = (state: 'open' | 'delivered') => update(db, 'orders', { seller_id: ann.id }, { state })
  await become('open')
  expect(await code(small(1))).toBe('not_found')
  expect((await call('message-seller', null, { token, text: 'Hello?' })).body.code).toBe('not_found')
  await become('delivered')
  const atOnce = await Promise.all(Array.from({ length: 6 }, () => send(small(5))))
  expect(atOnce.map(({ status, body }) => body.code ?? status).sort()).toEqual([200, 200, 200, ...Array(3).fill('attachment_too_many')])
  expect(await code(small(4))).toBe('attachment_too_many')
  expect((await send(small(3))).status).toBe(200)
  expect(await code(small(1))).toBe('attachment_too_many')
  expect(await kept()).toEqual([20, 5])

  const other = await bought(ann, null, `other-${ann.id}@example.com`)
  await update(db, 'file_usage', { user_id: ann.id }, { bytes: storageBytes.none })
  expect(await code(small(1), { token: other.token, text: 'x' })).toBe('attachment_no_room')
  expect(await kept()).toEqual([20, 5])
})

test('of files for an order that does not exist, and of an email for an unknown provider, no more than the beginning is received [S13]', async () => {
  const { token } = await bought(platform.user(), null, 'guest@example.com')
  const part = (name: string, value: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  /** The first 2 kB of a form of 9 MB: the rest never comes. */
  const begin = (path: string, first: string) =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(platform.url())
      const socket = connect(Number(port), hostname)
      const head = `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 9000000\r\n\r\n`
      let said = ''
      socket.on('data', (chunk) => {
        said += chunk
      })
      // The server closes, since what follows is nobody's.
      socket.on('close', () => resolve(said)).on('error', reject)
      socket.write(head + first + 'x'.repeat(2000 - first.length))
    })
  const files = '/functions/v1/message-seller-files'
  expect(await begin(files, part('token', `${token.slice(0, -3)}abc`) + part('text', 'Hello'))).toMatch(/^HTTP\/1.1 404 [\s\S]*not_found/)
  expect(await begin(files, part('text', 'Hello') + part('token', token))).toMatch(/^HTTP\/1.1 400 [\s\S]*invalid/)
  expect(await begin('/webhooks/mail/another', part('text', 'Hello'))).toMatch(/^HTTP\/1.1 404 /)
})

test('photos of a review are pictures of the reviewer, shown to everybody while the review is [S13] [S14]', {
  timeout: 60_000,
}, async () => {
  const [ann, mara] = [platform.user(), platform.user()]
  const { order_id, item_id } = await bought(ann, mara, `mara-${mara.id}@example.com`)
  const photo = await upload(mara, 'desk.png', PIXEL)
  const page = await upload(mara, 'page.html', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
  const others = await upload(ann, 'desk.png', PIXEL)
  const review = (photo_ids: string[]) => call('write-review', mara, { order_id, item_id, rating: 5, photo_ids })
  expect((await review([page])).body.code).toBe('photo_type')
  expect((await review([others])).body.code).toBe('attachment_unknown')
  expect((await review(Array.from({ length: 5 }, () => newId()))).status).toBe(400)
  const shown = (id: string) => fetch(`${platform.url()}/files/v1/marketplace/~pictures/${id}`)
  expect((await shown(photo)).status).toBe(404)
  const written = await review([photo])
  expect(written.body.review.photos).toEqual([`/files/v1/marketplace/~pictures/${photo}`])
  const answer = await shown(photo)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect((await call('show-order', mara, { order_id })).body.lines[0].review.photo_ids).toEqual([photo])
  expect((await call('delete-review', mara, { review_id: written.body.review.id })).status).toBe(200)
  expect((await shown(photo)).status).toBe(404)
})
