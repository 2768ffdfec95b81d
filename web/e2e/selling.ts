import type { APIRequestContext, Page } from '@playwright/test'
import { api, call, expect, newEmail, newTrial } from './steps.ts'

type Session = Awaited<ReturnType<typeof newTrial>>
const bearer = ({ access_token }: Session) => ({ authorization: `Bearer ${access_token}` })

/** A seller whose payouts are set up: the stand-in's clock moves for this account alone. */
export async function readySeller(request: APIRequestContext): Promise<Session> {
  const seller = await newTrial(request, newEmail(), 'Ann Sells')
  let page = ''
  await expect(async () => {
    page = new URL((await call(request, seller, 'start-payouts')).url).pathname
  }).toPass({ timeout: 20_000 })
  await request.post(page, { form: { number: '000123456789', outcome: 'complete' }, maxRedirects: 0 })
  await request.post('/sandbox/api/stripe/clock/advance', { data: { account: seller.user.id, seconds: 61 } })
  await expect.poll(async () => (await call(request, seller, 'payout-account', { refresh: true })).state, { timeout: 20_000 }).toBe('ready')
  return seller
}

export async function upload(request: APIRequestContext, seller: Session, name: string, content: Buffer, type = 'text/plain') {
  const meta = `filename ${Buffer.from(name).toString('base64')},filetype ${Buffer.from(type).toString('base64')}`
  const headers = { ...bearer(seller), 'tus-resumable': '1.0.0' }
  const begun = await request.post('/files/v1/marketplace/~uploads', {
    headers: { ...headers, 'upload-length': String(content.length), 'upload-metadata': meta },
  })
  const at = begun.headers().location!
  const sent = await request.patch(at, {
    headers: { ...headers, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
    data: content,
  })
  expect(sent.status()).toBe(204)
  return at.split('/').at(-1) as string
}

export async function product(request: APIRequestContext, seller: Session, title: string, price_cents: number, more: object = {}) {
  const made = { title, description: 'Asks five questions and scores the answers.', category: 'Marketing', item_type: 'guide', price_cents }
  const { item_id } = await call(request, seller, 'create-product', made)
  await call(request, seller, 'update-product', { item_id, ...more })
  await call(request, seller, 'attach-product-file', {
    item_id,
    file_id: await upload(request, seller, 'guide.txt', Buffer.from('one two three')),
  })
  let url = ''
  await expect(async () => {
    url = (await call(request, seller, 'publish-product', { item_id })).url
    expect(url).toBeTruthy()
  }).toPass({ timeout: 20_000 })
  return { item_id: item_id as string, path: new URL(url).pathname }
}

export async function payByCard(page: Page) {
  await page.waitForURL('**/sandbox/stripe/checkout/**')
  await page.getByLabel('Card number').fill('4242424242424242')
  await page.getByLabel('Expires').fill('12/34')
  await page.getByLabel('CVC').fill('123')
  await page.getByLabel('Name on the card').fill('Mara Lindt')
  await page.getByRole('button', { name: /^Pay/ }).click()
}

/** Pays without the screens: a guest, or a buyer who is signed in. */
export async function buy(request: APIRequestContext, item_id: string, buyer?: Session): Promise<string> {
  const email = buyer?.user.email ?? 'guest@studio.example'
  const headers = buyer ? { ...api, ...bearer(buyer) } : api
  const opened = await request.post('/functions/v1/start-checkout', { headers, data: { item_id, ...(!buyer && { email }) } })
  const id = new URL((await opened.json()).url).pathname.split('/').at(-1)
  const paid = await request.post(`/sandbox/api/stripe/checkout/${id}/complete`, {
    data: { card: '4242424242424242', email, address: { country: 'US', postal_code: '97201' } },
  })
  expect(paid.ok()).toBe(true)
  return (await paid.json()).payment_intent
}

/** The bank of a guest disputes a payment now. */
export async function dispute(request: APIRequestContext, payment: string) {
  const { truth } = await (await request.get('/sandbox/api/truth?provider=stripe&kind=charge')).json()
  const { charge } = truth.find(({ payment_intent }: { payment_intent: string }) => payment_intent === payment)
  expect((await request.post('/sandbox/api/stripe/disputes', { data: { charge } })).ok()).toBe(true)
}
