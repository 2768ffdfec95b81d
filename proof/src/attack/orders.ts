import { randomUUID } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import { pay } from './people.ts'
import { SANDBOX_KEY } from './platform.ts'
import type { Actor, Told, World } from './world.ts'

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==', 'base64')
const ELF = Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), Buffer.alloc(200)])

/**
 * S21 where strangers sell to strangers: a cart with other prices, another's coupon, reviews, refunds and downloads without a purchase. Beside it
 * S13: files in products, messages and reviews that are programs, pages, or somebody else's.
 */
export async function attackOrders(world: World): Promise<{ money: Told; files: Told }> {
  const money: Told = { tried: 0, findings: [] }
  const files: Told = { tried: 0, findings: [] }
  const fn = (actor: Actor, name: string, body: object = {}) => world.call(actor, 'POST', `/functions/v1/${name}`, body)
  async function refused(told: Told, what: string, actor: Actor, name: string, body: object, codes: number[] = [400, 401, 403, 404, 409]) {
    told.tried++
    const { status, text } = await fn(actor, name, body)
    if (!codes.includes(status)) told.findings.push(`${what}: ${status} ${text.slice(0, 160)}`)
  }
  const guest = await world.actor('anonymous')
  const [seller, rival, buyer] = [await readySeller(world), await world.fresh('seller'), await world.fresh('buyer')]
  const item_id = await published(seller, 4900)
  const rivals = await published(rival, 900)

  // A cart that says more than it is asked.
  const tampered = {
    ...{ item_id, price_cents: 1, amount_cents: 1, currency: 'jpy', quantity: -3, version_id: randomUUID(), seller_id: rival.id },
    ...{ buyer_id: rival.id, discount_cents: 4899, state: 'delivered', success_path: 'https://evil.example' },
    lines: [{ item_id, title: 'Free', amount_cents: 1 }],
  }
  money.tried++
  const { body: opened, text } = await fn(buyer, 'start-checkout', tampered)
  const page = opened?.url ? await world.call(guest, 'GET', new URL(opened.url).pathname) : null
  if (!page?.text.includes('49.00') || page.text.includes('evil.example'))
    money.findings.push(`a tampered cart: ${text.slice(0, 120)} ${page?.text.slice(0, 200)}`)
  await refused(money, 'products of two sellers in one cart', buyer, 'start-checkout', { item_ids: [item_id, rivals] })
  for (const item_ids of [[], ['x'], [randomUUID()], [item_id, randomUUID()], Array(21).fill(item_id)])
    await refused(money, `a cart of ${JSON.stringify(item_ids).slice(0, 60)}`, buyer, 'start-checkout', { item_ids })
  await fn(rival, 'create-coupon', { code: 'RIVALS', percent_off: 90 })
  for (const coupon of ['RIVALS', "' or 1=1 --", '%', '\u0000', 'x'.repeat(500)])
    await refused(money, `coupon ${JSON.stringify(coupon.slice(0, 20))}`, buyer, 'start-checkout', { item_id, coupon })
  for (const discount of [{ percent_off: 100 }, { percent_off: -5 }, { amount_off_cents: -1 }, { percent_off: 10, amount_off_cents: 10 }])
    await refused(money, `a coupon of ${JSON.stringify(discount)}`, seller, 'create-coupon', { code: `C${money.tried}`, ...discount })

  // Nothing of an order that is not paid, and nothing of another's.
  const order_id = opened?.order_id
  for (const [name, body] of [
    ['write-review', { item_id, rating: 5 }],
    ['request-refund', { reason: 'other', text: 'x' }],
    ['message-seller', { text: 'x' }],
    ['take-update', { item_id }],
  ] as const) {
    await refused(money, `${name} of an order that is not paid`, buyer, name, { order_id, ...body })
    await refused(money, `${name} without an order`, buyer, name, body)
  }
  if (opened?.url) await pay(world, opened.url, buyer.email)
  const delivered = await settled(async () => (await fn(buyer, 'show-order', { order_id })).body?.state === 'delivered')
  if (!delivered) money.findings.push('the paid order was not delivered: nothing was tried on it')
  const fileId = (await fn(buyer, 'show-order', { order_id })).body?.lines?.[0]?.files?.[0]?.file_id
  for (const [name, body] of [
    ['show-order', {}],
    ['order-download', { file_id: fileId }],
    ['write-review', { item_id, rating: 1 }],
    ['request-refund', { reason: 'other', text: 'x' }],
    ['message-seller', { text: 'x' }],
    ['take-update', { item_id }],
  ] as const)
    for (const actor of [guest, rival]) {
      await refused(money, `${name} of another’s order by its id, ${actor.kind}`, actor, name, { order_id, ...body })
      await refused(money, `${name} by a made-up link, ${actor.kind}`, actor, name, { token: 'A'.repeat(54), ...body })
    }
  await refused(money, 'a review of a product that the order has not', buyer, 'write-review', { order_id, item_id: rivals, rating: 5 })
  for (const rating of [0, 6, -1, 4.5, '5'])
    await refused(money, `${rating} stars`, buyer, 'write-review', { order_id, item_id, rating }, [400])
  await refused(money, 'a seller’s file by the buyer’s order', buyer, 'order-download', { order_id, file_id: randomUUID() })
  const asked = (await fn(buyer, 'request-refund', { order_id, reason: 'not_working', text: 'It stops.' })).body?.request?.id
  await refused(money, 'a buyer who accepts their own refund', buyer, 'answer-refund-request', { request_id: asked, accept: true })
  await refused(money, 'another seller who accepts it', rival, 'answer-refund-request', { request_id: asked, accept: true })
  await refused(money, 'a refund asked for twice', buyer, 'request-refund', { order_id, reason: 'other', text: 'x' })

  // Files: by name, by content, by owner; in a product, a message and a review.
  const [program, elf, svg, photo, others] = [
    await upload(seller, 'setup.exe', Buffer.from('MZ')),
    await upload(buyer, 'photo.png', ELF),
    await upload(buyer, 'photo.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')),
    await upload(buyer, 'photo.png', PNG),
    await upload(rival, 'secret.png', PNG),
  ]
  await refused(files, 'a program in a product', seller, 'attach-product-file', { item_id, file_id: program })
  await refused(files, 'another’s file in a product', seller, 'attach-product-file', { item_id, file_id: others })
  await refused(files, 'another’s picture in a product', seller, 'update-product', { item_id, image_ids: [others] })
  for (const [what, id] of Object.entries({ 'a program': elf, 'another’s file': others, 'no file': randomUUID() }))
    await refused(files, `${what} in a message`, buyer, 'message-seller', { order_id, text: 'x', file_ids: [id] })
  for (const [what, id] of Object.entries({ 'a program': elf, 'a page': svg, 'another’s picture': others }))
    await refused(files, `${what} as a photo`, buyer, 'write-review', { order_id, item_id, rating: 5, photo_ids: [id] })
  const sent = await fn(buyer, 'message-seller', { order_id, text: 'See it.', file_ids: [photo] })
  const thread_id = (await fn(seller, 'list-threads')).body?.threads?.[0]?.id
  if (sent.status !== 200 || !thread_id) files.findings.push(`no file could be sent: ${sent.status} ${sent.text.slice(0, 120)}`)
  for (const actor of [guest, rival]) {
    await refused(files, `a file of others’ messages, ${actor.kind}`, actor, 'thread-file', { thread_id, file_id: photo })
    await refused(files, `others’ messages, ${actor.kind}`, actor, 'show-thread', { thread_id })
  }
  await refused(files, 'another file by one’s own conversation', buyer, 'thread-file', { thread_id, file_id: others })
  for (const id of [photo, others, svg, elf, fileId]) {
    files.tried++
    const { status } = await world.call(guest, 'GET', `/files/v1/marketplace/~pictures/${id}`)
    if (status === 200) files.findings.push(`a file that stands on no page is shown to everybody: ${status}`)
  }
  // Pictures of a product that is on sale: a page that begins as one, and one that would take a gigabyte once it is unpacked.
  const disguised = await upload(seller, 'page.png', Buffer.concat([PNG, Buffer.from('<script>document.title="ran"</script>')]))
  const image_ids = [disguised, await upload(seller, 'large.png', pictureBomb())]
  files.tried++
  if ((await fn(seller, 'update-product', { item_id, image_ids })).status !== 200) files.findings.push('no picture was tried on a product')
  for (const id of image_ids)
    for (const width of ['', '?w=480', '?w=640', '?w=960']) {
      files.tried++
      const began = performance.now()
      const { status, headers, text } = await world.call(guest, 'GET', `/files/v1/marketplace/~pictures/${id}${width}`)
      const type = headers.get('content-type') ?? ''
      const isPicture = /^image\/(png|webp)$/.test(type) && headers.get('x-content-type-options') === 'nosniff'
      if (status !== 200 || !isPicture) files.findings.push(`a picture that is none${width}: ${status} ${type}`)
      if (width && id === disguised && text.includes('<script>')) files.findings.push(`a page went through the smaller picture${width}`)
      if (performance.now() - began > 5_000) files.findings.push(`a picture of a gigabyte held the service up${width}`)
    }
  for (const pass of ['A'.repeat(84), '..%2f..%2fetc', '%00'])
    await refusedGet(`/files/v1/marketplace/~orders/${pass}`, 'a made-up download')
  return { money, files }

  async function refusedGet(path: string, what: string) {
    files.tried++
    const { status } = await world.call(guest, 'GET', path)
    if (status < 400 || status >= 500) files.findings.push(`${what} ${path}: ${status}`)
  }

  async function upload(actor: Actor, name: string, content: Buffer): Promise<string> {
    const metadata = `filename ${Buffer.from(name).toString('base64')}`
    const tus = { 'tus-resumable': '1.0.0' }
    const begun = await world.call(actor, 'POST', '/files/v1/marketplace/~uploads', undefined, {
      ...tus,
      'upload-length': String(content.length),
      'upload-metadata': metadata,
    })
    const at = begun.headers.get('location') ?? ''
    const piece = { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
    const { status } = await world.call(actor, 'PATCH', at, content, piece)
    if (status !== 204) throw new Error(`a file could not be uploaded: ${begun.status} ${status}`)
    return at.split('/').at(-1)!
  }

  async function published(actor: Actor, price_cents: number): Promise<string> {
    const made = { title: 'Guide', description: 'One two three.', category: 'Marketing', item_type: 'guide', price_cents }
    const { item_id } = (await fn(actor, 'create-product', made)).body
    await fn(actor, 'attach-product-file', { item_id, file_id: await upload(actor, 'guide.txt', Buffer.from('one two three')) })
    if (!(await settled(async () => (await fn(actor, 'publish-product', { item_id })).status === 200)))
      throw new Error('a product could not be published')
    return item_id
  }
}

/** A PNG of 30,000 by 30,000 white points, true to the letter, in 100 kB. */
function pictureBomb(): Buffer {
  const side = 30_000
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head[8] = 1
  const chunk = (type: string, data: Buffer) => {
    const said = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(said))
    return Buffer.concat([length, said, sum])
  }
  const rows = deflateSync(Buffer.alloc(side * (1 + Math.ceil(side / 8))))
  return Buffer.concat([PNG.subarray(0, 8), chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

/** A seller whose payouts are set up at the stand-in. */
export async function readySeller(world: World): Promise<Actor> {
  const seller = await world.fresh('seller')
  const fn = (name: string, body: object = {}) => world.call(seller, 'POST', `/functions/v1/${name}`, body)
  let page = ''
  await settled(async () => {
    const { body } = await fn('start-payouts')
    page = body?.url ? new URL(body.url).pathname : ''
    return page !== ''
  })
  const post = (path: string, body: URLSearchParams | string, headers: Record<string, string> = {}) =>
    fetch(world.url + path, { method: 'POST', redirect: 'manual', headers: { 'x-sandbox-key': SANDBOX_KEY, ...headers }, body })
  await post(page, new URLSearchParams({ number: '000123456789', outcome: 'complete' }))
  const later = JSON.stringify({ account: seller.id, seconds: 61 })
  await post('/sandbox/api/stripe/clock/advance', later, { 'content-type': 'application/json' })
  if (!(await settled(async () => (await fn('payout-account', { refresh: true })).body?.state === 'ready')))
    throw new Error('no seller could be set up')
  return seller
}

export async function settled(look: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 150; tries++) {
    if (await look()) return true
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return false
}
