import { settled } from './orders.ts'
import { pay } from './people.ts'
import type { Actor, Told, World } from './world.ts'

/** S21 of top-ups: what a call says of price, units or owner changes nothing, and no money goes back for what is not one's own. */
export async function attackTopUps(world: World): Promise<Told> {
  const told: Told = { tried: 0, findings: [] }
  const fn = (actor: Actor, name: string, body: object = {}) => world.call(actor, 'POST', `/functions/v1/${name}`, body)
  async function refused(what: string, actor: Actor, name: string, body: object, codes = [400, 401, 404, 409]) {
    told.tried++
    const { status, text } = await fn(actor, name, body)
    if (!codes.includes(status)) told.findings.push(`${what}: ${status} ${text.slice(0, 120)}`)
  }
  const [nobody, buyer, rival] = [await world.actor('anonymous'), await world.fresh('buyer'), await world.fresh('buyer')]
  for (const unit of ['emails', 'PROMPTS', '', null, ['prompts'], '__proto__'])
    await refused(`a top-up of ${JSON.stringify(unit)}`, buyer, 'buy-top-up', { unit }, [400])
  await refused('a top-up for nobody', nobody, 'buy-top-up', { unit: 'prompts' }, [401])

  const tampered = { price: 1, price_cents: 1, amount_cents: 1, units: 1_000_000, unit_microusd: 1, currency: 'jpy', quantity: -1 }
  const opened = (await fn(buyer, 'buy-top-up', { unit: 'prompts', ...tampered, user_id: rival.id, customer: 'cus_other' })).body
  const { top_up_id } = opened ?? {}
  told.tried++
  const page = opened?.url ? await world.call(nobody, 'GET', new URL(opened.url).pathname) : null
  if (!page?.text.includes('19.00')) told.findings.push(`a tampered top-up: ${page?.status} ${page?.text.slice(0, 200)}`)
  await refused('money for a top-up that was not paid', buyer, 'refund-top-up', { top_up_id })
  await pay(world, opened.url, buyer.email)
  const bought = async () => (await fn(buyer, 'list-top-ups')).body?.top_ups?.[0]
  told.tried++
  if (!(await settled(async () => (await bought())?.left === 500))) told.findings.push(`a paid top-up is ${JSON.stringify(await bought())}`)

  for (const actor of [nobody, rival])
    for (const name of ['top-up-status', 'preview-top-up-refund', 'refund-top-up'])
      await refused(`${name} of another's, ${actor.kind}`, actor, name, { top_up_id })
  told.tried++
  if ((await fn(rival, 'list-top-ups')).body?.top_ups?.length !== 0) told.findings.push('a top-up is on the list of somebody else')

  // Ten at once, each under a key of its own: one refund, of what was paid and no more.
  await Promise.all(Array.from({ length: 10 }, () => fn(buyer, 'refund-top-up', { top_up_id, amount_cents: 100_000, left: 1_000_000 })))
  told.tried += 10
  await settled(async () => (await bought())?.state === 'closed')
  const { refunded_cents, amount_cents, left } = (await bought()) ?? {}
  if (refunded_cents !== amount_cents || left !== 0)
    told.findings.push(`of ${amount_cents} cents ${refunded_cents} went back, ${left} units are left`)
  await refused('a second refund', buyer, 'refund-top-up', { top_up_id }, [409])
  return told
}
