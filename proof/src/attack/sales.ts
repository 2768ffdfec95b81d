import { readySeller, settled } from './orders.ts'
import { pay } from './people.ts'
import type { Actor, Told, World } from './world.ts'

type Sold = { id: string; amount_cents: number; tax_cents: number; share_cents: number; currency: string }

/** S21 once it is paid: the sale, its refund, its dispute and its documents are its seller's and its buyer's, whatever a call says. */
export async function attackSales(world: World): Promise<Told> {
  const told: Told = { tried: 0, findings: [] }
  const fn = (actor: Actor, name: string, body: object = {}) => world.call(actor, 'POST', `/functions/v1/${name}`, body)
  async function refused(what: string, actor: Actor, name: string, body: object, codes = [400, 401, 403, 404, 409]) {
    told.tried++
    const { status, text } = await fn(actor, name, body)
    if (!codes.includes(status)) told.findings.push(`${what}: ${status} ${text.slice(0, 120)}`)
  }
  const nobody = await world.actor('anonymous')
  const [ann, rival] = [await readySeller(world), await readySeller(world)]
  const [buyer, stranger] = [await world.fresh('buyer'), await world.fresh('buyer')]
  const product = { title: 'Lead qualification', description: 'Five questions.', category: 'Marketing', item_type: 'workflow' }
  const { item_id } = (await fn(ann, 'create-product', { ...product, price_cents: 4_900 })).body
  await fn(ann, 'publish-product', { item_id })
  for (const price_cents of [-4_900, 0.5, 1e15, '4900', null])
    await refused(`a product at ${price_cents}`, ann, 'create-product', { ...product, price_cents }, [400])
  await refused('the price of another seller’s product', rival, 'change-product-price', { item_id, price_cents: 100 })

  const opened = (await fn(buyer, 'start-checkout', { item_id })).body
  const order = { order_id: opened.order_id as string }
  told.tried++
  if ((await fn(buyer, 'order-documents', order)).body?.documents?.length !== 0)
    told.findings.push('an order that was not paid has an invoice')
  await pay(world, opened.url, buyer.email)
  let sold: Sold | undefined
  await settled(async () => {
    sold = (await fn(ann, 'list-sales')).body?.sales?.[0]
    return sold !== undefined
  })
  if (!sold) return { ...told, findings: [...told.findings, 'a paid order made no sale'] }
  told.tried++
  if (sold.amount_cents - sold.tax_cents !== 4_900 || sold.currency !== 'usd' || sold.share_cents !== 3_920)
    told.findings.push(`it was sold for ${sold.amount_cents} ${sold.currency}, and ${sold.share_cents} of it is the seller's`)

  const sale_id = sold.id
  const document_id = (await fn(ann, 'show-sale', { sale_id })).body?.documents?.[0]?.id
  const calls: [string, object][] = [
    ['order-documents', order],
    ['order-document', { ...order, document_id }],
    ['open-document', { document_id }],
    ['show-sale', { sale_id }],
    ['preview-refund', { sale_id }],
    ['refund-order', { sale_id, reason: 'give it to me' }],
    ['dispute-evidence', { sale_id }],
    ['submit-evidence', { sale_id, text: 'It is mine, all of it', send: true }],
  ]
  for (const [name, body] of calls)
    for (const actor of [nobody, stranger, rival]) await refused(`${name} of others' sale, ${actor.kind}`, actor, name, body)
  for (const name of ['show-sale', 'refund-order', 'submit-evidence', 'dispute-evidence'])
    await refused(`${name} by the buyer`, buyer, name, { sale_id, reason: 'give it to me', text: 'It is mine, all of it' })
  for (const amount_cents of [-1, 0, 0.5, sold.amount_cents + 1, 1e300, '100'])
    await refused(`a refund of ${amount_cents}`, ann, 'refund-order', { sale_id, amount_cents, reason: 'a test' })
  return told
}
