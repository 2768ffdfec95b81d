import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { jetstream } from '@nats-io/jetstream'
import { connect, type Msg } from '@nats-io/transport-node'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { newId } from '../ids.ts'
import { runOnce } from '../inbox.ts'
import type { Logger } from '../telemetry.ts'
import { createLogger } from '../telemetry.ts'
import { testDatabase } from '../testing/database.ts'
import { insert } from '../testing/rows.ts'
import { spawnNats, whyAbsent } from '../testing/servers.ts'
import { envelopeFor } from './bus.suite.ts'
import type { Bus } from './bus.ts'
import { createNatsBus } from './nats.ts'
import { connectNats } from './nats-connection.ts'
import { createSeal } from './seal.ts'

const absent = await whyAbsent('nats-server')
const definition = {
  name: 'strangers',
  migrations: {
    '0001_effects': { up: (db: any) => sql`create table effects (id bigserial primary key, event_id uuid)`.execute(db).then(() => {}) },
  },
}
const cleanup: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each()
})

/** Two services of a fleet, and a stranger who has reached the broker and hears all that passes. */
async function fleet(settings: { unsignedUntil?: number } = {}) {
  const server = await spawnNats()
  cleanup.push(server.stop)
  const key = randomBytes(32)
  const said: string[] = []
  const log = createLogger('warn', { write: (line) => void said.push(line) }) as Logger
  const database = await testDatabase(definition)
  cleanup.push(database.drop)
  const open = async (service: string): Promise<Bus> => {
    const nats = await connectNats(server.url, createLogger('silent'))
    const bus = createNatsBus(nats, { service, db: database.db, log }, createSeal({ key, log, ...settings }), nats.close)
    cleanup.push(async () => {
      await bus.drain()
      await bus.close()
    })
    return bus
  }
  const [shop, depot] = [await open('shop'), await open('depot')]
  const heard: unknown[] = []
  depot.consume({
    handler: 'depot.deliver',
    event: 'shop.paid',
    run: (envelope) =>
      runOnce(database.db, 'depot.deliver', envelope, async (trx: any) => void (await insert(trx, 'effects', { event_id: envelope.id }))),
  })
  depot.onBroadcast('shop.closed', (payload) => heard.push(payload))
  let asked = 0
  depot.reply('depot.stock', async () => ({ left: ++asked }))
  const nc = await connect({ servers: server.url })
  cleanup.push(() => nc.close())
  const passing: Msg[] = []
  nc.subscribe('>', { callback: (_error, msg) => void passing.push(msg) })
  await nc.flush()
  await Promise.all([shop.start(), depot.start()])
  const effects = async () =>
    (await database.db.selectFrom('effects').select('event_id').execute()).map((row: any) => row.event_id as string)
  const seen = (subject: string) => {
    const found = passing.find((msg) => msg.subject === subject)
    if (!found) throw new Error(`${subject} has not passed`)
    return found
  }
  return { shop, depot, nc, js: jetstream(nc), heard, effects, seen, said: () => said.join('\n'), asked: () => asked }
}

describe.skipIf(absent)(absent ? `skipped: ${absent}` : 'nats: with a stranger on the broker', () => {
  test("a stranger's event, broadcast, request and answer are refused and logged; the fleet's own pass them", {
    timeout: 40_000,
  }, async () => {
    const { shop, nc, js, heard, effects, said, asked } = await fleet()
    const [forged, real] = [envelopeFor('shop.paid', { cents: 1 }), envelopeFor('shop.paid')]
    await shop.send([envelopeFor('shop.opened')])
    await js.publish('evt.shop.paid', JSON.stringify(forged))
    await shop.send([real])
    await expect.poll(effects).toEqual([real.id])
    expect(said()).toMatch(/"subject":"evt.shop.paid".*not signed by this fleet/)

    nc.publish('cast.shop.closed', JSON.stringify('forged'))
    await nc.flush()
    await shop.broadcast('shop.closed', 'real')
    await expect.poll(() => heard).toEqual(['real'])

    await expect(nc.request('req.depot.stock', '{}', { timeout: 300 })).rejects.toThrow(/timeout/i)
    expect(asked()).toBe(0)
    expect(await shop.request('depot.stock', {}, 2000)).toEqual({ left: 1 })

    nc.subscribe('req.bank.keys', { callback: (_error, msg) => void msg.respond(JSON.stringify({ ok: 'forged' })) })
    await nc.flush()
    await expect(shop.request('bank.keys', {}, 1000)).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('what was signed for one subject counts on no other, and what is changed not at all', { timeout: 40_000 }, async () => {
    const { shop, nc, js, heard, effects, seen } = await fleet()
    const other = envelopeFor('shop.opened')
    await shop.send([other])
    await expect.poll(() => seen('evt.shop.opened').subject).toBeTruthy()
    const { data, headers } = seen('evt.shop.opened')
    await js.publish('evt.shop.paid', data, { headers: headers! })
    const changed = JSON.stringify({ ...other, id: newId(), name: 'shop.paid' })
    await js.publish('evt.shop.paid', changed, { headers: headers! })
    const real = envelopeFor('shop.paid')
    await shop.send([real])
    await expect.poll(effects).toEqual([real.id])

    await shop.broadcast('shop.opened', 'open')
    await expect.poll(() => seen('cast.shop.opened').subject).toBeTruthy()
    nc.publish('cast.shop.closed', seen('cast.shop.opened').data, { headers: seen('cast.shop.opened').headers! })
    await shop.broadcast('shop.closed', 'real')
    await expect.poll(() => heard).toEqual(['real'])
  })

  test('what is sent once more changes nothing: an event, a broadcast, a request', { timeout: 40_000 }, async () => {
    const { shop, nc, js, heard, effects, seen, asked } = await fleet()
    const [first, second] = [envelopeFor('shop.paid'), envelopeFor('shop.paid')]
    await shop.send([first])
    await shop.broadcast('shop.closed', 'once')
    await shop.request('depot.stock', {}, 2000)
    await expect.poll(effects).toEqual([first.id])
    const again = seen('evt.shop.paid')
    // Without the id by which the broker itself would know it.
    again.headers!.delete('Nats-Msg-Id')
    await js.publish('evt.shop.paid', again.data, { headers: again.headers! })
    for (const subject of ['cast.shop.closed', 'req.depot.stock'])
      nc.publish(subject, seen(subject).data, { headers: seen(subject).headers!, reply: 'stranger' })
    await nc.flush()
    await shop.send([second])
    await shop.broadcast('shop.closed', 'twice')
    await expect.poll(effects).toEqual([first.id, second.id])
    await expect.poll(() => heard).toEqual(['once', 'twice'])
    expect(asked()).toBe(1)
  })

  test('within the time that a rolling upgrade was given, messages of the version before count', { timeout: 40_000 }, async () => {
    const until = Date.now() + 4_000
    const { shop, nc, js, heard, effects, said } = await fleet({ unsignedUntil: until })
    const old = envelopeFor('shop.paid')
    await shop.send([envelopeFor('shop.opened')])
    await js.publish('evt.shop.paid', JSON.stringify(old))
    await expect.poll(effects).toEqual([old.id])
    expect(said()).toContain('BUS_UNSIGNED_UNTIL allows it')
    await wait(Math.max(0, until - Date.now()))
    nc.publish('cast.shop.closed', JSON.stringify('late'))
    await nc.flush()
    await shop.broadcast('shop.closed', 'signed')
    await expect.poll(() => heard).toEqual(['signed'])
  })
})
