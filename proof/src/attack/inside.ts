import { type Operation, sampleCall } from './document.ts'
import { startListener } from './listener.ts'
import type { Attack } from './world.ts'

// S16: an address inside, in every place of every call that takes text: nothing of ours may connect to it. What the guarded fetch refuses
// in every notation, after redirects and by rebinding, its own tests hold.
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
    // Jobs and webhooks may still be on their way.
    await new Promise((resolve) => setTimeout(resolve, 500))
    if (canary.connections() > 0 && !findings.length) findings.push(`something connected later: ${canary.heard.join(' ')}`)
  } finally {
    canary.close()
  }
  return { tried, findings }
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
