import { type Operation, sampleCall } from './document.ts'
import { startListener } from './listener.ts'
import type { Attack, World } from './world.ts'

// S16: an address inside, in every place of every call that takes text: nothing of ours may connect to it. The guarded fetch's own tests cover
// its refusals in every notation, after redirects and by rebinding.
export const attack: Attack = async (world) => {
  const findings: string[] = []
  let tried = 0
  const canary = await startListener()
  const addresses = [
    `http://127.0.0.1:${canary.port}/canary`,
    `http://localhost:${canary.port}/canary`,
    `//127.0.0.1:${canary.port}/canary`,
  ]
  try {
    const seller = await world.actor('seller')
    for (const operation of world.operations) {
      const actor =
        operation.access === 'service' ? await world.actor('service') : operation.access === 'staff' ? await world.actor('staff') : seller
      if (/logout|account-delete|session-revoke|PUT \/auth\/v1\/user|identities/.test(operation.name)) continue
      for (const address of world.short ? addresses.slice(0, 1) : addresses)
        for (const { path, body } of callsWith(operation, address)) {
          tried++
          const before = canary.connections()
          await world.call(actor, operation.method, path, body)
          if (canary.connections() > before) findings.push(`${operation.name}: ${path} ${JSON.stringify(body)} was followed`)
        }
    }
    tried += await tryWebhooks(world, canary.port, findings)
    // Jobs and webhooks may still be on their way.
    await new Promise((resolve) => setTimeout(resolve, 500))
    if (canary.connections() > 0 && !findings.length) findings.push(`something connected later: ${canary.heard.join(' ')}`)
  } finally {
    canary.close()
  }
  return { tried, findings }
}

/** Webhook endpoints whose address leads inside: refused when added, and not called when a row or a name says so later. */
async function tryWebhooks(world: World, port: number, findings: string[]): Promise<number> {
  const person = await world.fresh('seller')
  const post = (name: string, body: object) =>
    world.call(person, 'POST', `/functions/v1/${name}`, body, { 'idempotency-key': `${name}-${world.random()}` })
  const inside = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1', '0'].flatMap((host) => [
    `http://${host}:${port}/hook`,
    `https://${host}:${port}/hook`,
  ])
  for (const url of inside) {
    const made = await post('webhook-endpoint-create', { url, name: 'inside', events: ['crm.lead_created'] })
    if (made.status === 200 && url.startsWith('http:')) findings.push(`${url} was accepted as a webhook endpoint`)
    if (made.status === 200) await post('webhook-endpoint-delete', { endpoint_id: made.body.endpoint.id })
  }
  const made = await post('webhook-endpoint-create', { url: 'https://hooks.example.com', name: 'inside', events: ['crm.lead_created'] })
  const endpoint_id = made.body.endpoint?.id
  if (!endpoint_id) return findings.push(`no webhook endpoint could be added: ${made.status} ${made.text}`)
  const db = world.platform.db('integrations')
  for (const url of inside) {
    await db.updateTable('webhook_endpoints').set({ url }).where('id', '=', endpoint_id).execute()
    const { body } = await post('webhook-ping', { endpoint_id })
    for (let looks = 0; ; looks++) {
      const { deliveries } = (await post('list-webhook-deliveries', { endpoint_id })).body
      const delivery = deliveries.find(({ id }: { id: string }) => id === body.delivery_id)
      if (delivery?.attempts === 1) break
      if (looks === 200) {
        findings.push(`the ping to ${url} was never tried, so it proves nothing`)
        break
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return inside.length * 2
}

/** The sample call with the address in one place after another: each text of the body, each parameter of the query. */
function* callsWith(operation: Operation, address: string): Generator<{ path: string; body: unknown }> {
  const { path, body } = sampleCall(operation)
  const fields = Object.entries((operation.body?.properties ?? {}) as Record<string, { type?: unknown; anyOf?: { type?: string }[] }>)
  for (const [name, schema] of fields)
    if (schema.type === 'string' || schema.anyOf?.some(({ type }) => type === 'string')) yield { path, body: { ...body, [name]: address } }
  for (const { name, in: where } of operation.parameters)
    if (where === 'query') yield { path: `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(address)}`, body }
}
