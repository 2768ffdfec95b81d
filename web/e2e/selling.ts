import type { APIRequestContext, Page } from '@playwright/test'
import { call, expect, newEmail, newTrial } from './steps.ts'

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

async function upload(request: APIRequestContext, seller: Session, name: string, content: string): Promise<string> {
  const meta = `filename ${Buffer.from(name).toString('base64')},filetype ${Buffer.from('text/plain').toString('base64')}`
  const headers = { ...bearer(seller), 'tus-resumable': '1.0.0' }
  const begun = await request.post('/files/v1/marketplace/~uploads', {
    headers: { ...headers, 'upload-length': String(content.length), 'upload-metadata': meta },
  })
  const at = begun.headers().location!
  const sent = await request.patch(at, {
    headers: { ...headers, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
    data: Buffer.from(content),
  })
  expect(sent.status()).toBe(204)
  return at.split('/').at(-1)!
}

export async function product(request: APIRequestContext, seller: Session, title: string, price_cents: number, more: object = {}) {
  const made = { title, description: 'Asks five questions and scores the answers.', category: 'Marketing', item_type: 'guide', price_cents }
  const { item_id } = await call(request, seller, 'create-product', made)
  await call(request, seller, 'update-product', { item_id, ...more })
  await call(request, seller, 'attach-product-file', { item_id, file_id: await upload(request, seller, 'guide.txt', 'one two three') })
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
