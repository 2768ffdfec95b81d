import type { Envelope } from '@operon/contracts/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DomainError } from '../errors.ts'
import { newId } from '../ids.ts'
import { parkedEvents, replayParked, runManyOnce, runOnce } from '../inbox.ts'
import { createLogger } from '../telemetry.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { type Bus, type BusOwner, MAX_DELIVERIES } from './bus.ts'

type BusHarness = { open(owner: BusOwner): Promise<Bus>; close(): Promise<void> }
type Member = { bus: Bus; database: TestDatabase; effects: string[]; drop(): Promise<void> }

const definition = {
  name: 'bus',
  migrations: {
    '0001_effects': {
      up: (db: any) => sql`create table effects (id bigserial primary key, handler text, event_id uuid)`.execute(db).then(() => {}),
    },
  },
}

const log = createLogger('silent')
export const envelopeFor = (name: string, payload: unknown = {}): Envelope => ({
  id: newId(),
  name,
  at: new Date().toISOString(),
  user_id: null,
  payload,
})

/** The promises of every bus. */
export function busSuite(title: string, openHarness: () => Promise<BusHarness>) {
  describe(title, () => {
    let harness: BusHarness
    const members: Member[] = []
    let serial = 0

    beforeAll(async () => {
      harness = await openHarness()
    })
    afterAll(async () => {
      for (const member of members) await member.drop()
      await harness.close()
    })

    /** A service; names are new for each test, so that one test's broker state is not another's. */
    async function member(service: string, database?: TestDatabase): Promise<Member> {
      const own = database ?? (await testDatabase(definition))
      const bus = await harness.open({ service, db: own.db, log, retryDelayMs: (attempt) => 20 * attempt })
      let dropped = false
      const made: Member = {
        bus,
        database: own,
        effects: [],
        async drop() {
          if (dropped) return
          dropped = true
          await bus.drain()
          await bus.close()
          if (!database) await own.drop()
        },
      }
      members.push(made)
      return made
    }

    function hear({ bus, database }: Member, handler: string, event: string, before: (envelope: Envelope) => unknown = () => {}) {
      bus.consume({
        handler,
        event,
        run: async (envelope) => {
          await before(envelope)
          await runOnce(
            database.db,
            handler,
            envelope,
            async (trx: any) => void (await trx.insertInto('effects').values({ handler, event_id: envelope.id }).execute()),
          )
        },
      })
    }

    function hearMany({ bus, database }: Member, handler: string, event: string, meanwhile: (envelopes: Envelope[]) => unknown) {
      const runMany = (envelopes: Envelope[]) =>
        runManyOnce(database.db, handler, envelopes, async (trx: any, fresh) => {
          await meanwhile(fresh)
          await trx
            .insertInto('effects')
            .values(fresh.map(({ id }) => ({ handler, event_id: id })))
            .execute()
        })
      bus.consume({ handler, event, run: (envelope) => runMany([envelope]), runMany })
    }

    const effectsOf = ({ database }: Member, handler: string) =>
      database.db
        .selectFrom('effects')
        .select('event_id')
        .where('handler', '=', handler)
        .execute()
        .then((rows: any[]) => rows.map((row) => row.event_id as string))
    const name = (what: string) => `${what}${++serial}`

    test('an event reaches every handler that asked for it, in every service, once, even when it is sent again', async () => {
      const [from, to] = [await member(name('shop')), await member(name('books'))]
      const event = `${name('shop')}.paid`
      hear(to, 'books.note', event)
      hear(to, 'books.mail', event)
      hear(from, 'shop.self', event)
      await Promise.all([from.bus.start(), to.bus.start()])
      const sent = Array.from({ length: 50 }, () => envelopeFor(event))
      await from.bus.send(sent)
      await Promise.all([from.bus.send(sent), from.bus.send(sent.slice(10))])
      const ids = sent.map((envelope) => envelope.id).sort()
      for (const [who, handler] of [
        [to, 'books.note'],
        [to, 'books.mail'],
        [from, 'shop.self'],
      ] as const)
        await expect.poll(async () => (await effectsOf(who, handler)).sort(), { timeout: 10_000 }).toEqual(ids)
    })

    test('a handler that fails is tried again until it holds', async () => {
      const one = await member(name('flaky'))
      const event = `${name('flaky')}.happened`
      let tries = 0
      hear(one, 'flaky.work', event, () => {
        if (++tries < 3) throw new Error('not yet')
      })
      await one.bus.start()
      const envelope = envelopeFor(event)
      await one.bus.send([envelope])
      await expect.poll(() => effectsOf(one, 'flaky.work'), { timeout: 12_000 }).toEqual([envelope.id])
      expect(tries).toBe(3)
    })

    test('a poison event is parked with its error, the others flow meanwhile, and it can be replayed', { timeout: 30_000 }, async () => {
      const one = await member(name('poison'))
      const event = `${name('poison')}.happened`
      const bad = envelopeFor(event, { bad: true })
      let mended = false
      hear(one, 'poison.work', event, (envelope) => {
        if (envelope.id === bad.id && !mended) throw new Error('cannot be digested')
      })
      await one.bus.start()
      const good = Array.from({ length: 20 }, () => envelopeFor(event))
      await one.bus.send([bad, ...good])
      await expect.poll(async () => (await effectsOf(one, 'poison.work')).length, { timeout: 10_000 }).toBe(20)
      await expect
        .poll(async () => (await parkedEvents(one.database.db)).map(({ eventId, attempts, error }) => ({ eventId, attempts, error })), {
          timeout: 15_000,
        })
        .toEqual([{ eventId: bad.id, attempts: MAX_DELIVERIES, error: 'Error: cannot be digested' }])
      expect(await effectsOf(one, 'poison.work')).not.toContain(bad.id)
      mended = true
      expect(await replayParked(one.database.db, 'poison.work', bad.id)).toBe(true)
      await expect.poll(() => effectsOf(one, 'poison.work'), { timeout: 8_000 }).toContain(bad.id)
      expect(await parkedEvents(one.database.db)).toEqual([])
    })

    test('what one handler takes together is done once each, in few transactions, in the order of time, one batch at a time', async () => {
      const one = await member(name('heap'))
      const event = `${name('heap')}.happened`
      const batches: string[][] = []
      let atOnce = 0
      hearMany(one, 'heap.work', event, async (envelopes) => {
        expect(++atOnce).toBe(1)
        await new Promise((resolve) => setImmediate(resolve))
        batches.push(envelopes.map(({ id }) => id))
        atOnce--
      })
      const sent = Array.from({ length: 300 }, () => envelopeFor(event))
      await one.bus.start()
      await one.bus.send(sent.toReversed())
      await one.bus.send(sent)
      const ids = sent.map(({ id }) => id).sort()
      await expect.poll(async () => (await effectsOf(one, 'heap.work')).sort(), { timeout: 10_000 }).toEqual(ids)
      expect(batches.flat().sort()).toEqual(ids)
      expect(batches.length).toBeLessThan(100)
      for (const batch of batches) expect(batch).toEqual(batch.toSorted())
    })

    test('a poison event among many is parked alone, with its error, and nothing beside it waits for it', { timeout: 30_000 }, async () => {
      const one = await member(name('mixed'))
      const event = `${name('mixed')}.happened`
      const sent = Array.from({ length: 100 }, (_, n) => envelopeFor(event, { bad: n === 41 }))
      const bad = sent[41]!
      let tries = 0
      hearMany(one, 'mixed.work', event, (envelopes) => {
        if (!envelopes.some(({ id }) => id === bad.id)) return
        if (envelopes.length === 1) tries++
        throw new Error('cannot be digested')
      })
      await one.bus.start()
      await one.bus.send(sent)
      await expect.poll(async () => (await effectsOf(one, 'mixed.work')).length, { timeout: 10_000 }).toBe(99)
      await expect
        .poll(async () => (await parkedEvents(one.database.db)).map(({ eventId, attempts }) => ({ eventId, attempts })), {
          timeout: 15_000,
        })
        .toEqual([{ eventId: bad.id, attempts: MAX_DELIVERIES }])
      expect(tries).toBe(MAX_DELIVERIES)
    })

    test('what was sent while a service was away waits for it', async () => {
      const service = name('away')
      const from = await member(name('here'))
      const event = `${name('here')}.happened`
      const to = await member(service)
      hear(to, 'away.work', event)
      await to.bus.start()
      await from.bus.start()
      await to.bus.drain()
      const envelope = envelopeFor(event)
      await from.bus.send([envelope])
      await to.bus.close()
      const back = await member(service, to.database)
      hear(back, 'away.work', event)
      await back.bus.start()
      await expect.poll(() => effectsOf(back, 'away.work'), { timeout: 10_000 }).toEqual([envelope.id])
    })

    test('a broadcast reaches every service that runs, as plain data', async () => {
      const [one, two] = [await member(name('cast')), await member(name('cast'))]
      const heard: unknown[] = []
      one.bus.onBroadcast('cast.said', (payload) => heard.push(['one', payload]))
      two.bus.onBroadcast('cast.said', (payload) => heard.push(['two', payload]))
      two.bus.onBroadcast('cast.other', (payload) => heard.push(['wrong', payload]))
      await Promise.all([one.bus.start(), two.bus.start()])
      const at = new Date()
      await one.bus.broadcast('cast.said', { at })
      await expect.poll(() => heard.length).toBe(2)
      expect(heard).toEqual(
        expect.arrayContaining([
          ['one', { at: at.toISOString() }],
          ['two', { at: at.toISOString() }],
        ]),
      )
    })

    test('a request is answered; a refusal arrives as the same refusal, a bug as nothing but that', async () => {
      const service = name('oracle')
      const [asker, oracle] = [await member(name('asker')), await member(service)]
      oracle.bus.reply(`${service}.double`, async ({ n }) => ({ n: n * 2 }))
      oracle.bus.reply(`${service}.refuse`, async () => {
        throw new DomainError('limit_images', { details: { left: 0 } })
      })
      oracle.bus.reply(`${service}.break`, async () => {
        throw new Error('secret internals')
      })
      await Promise.all([asker.bus.start(), oracle.bus.start()])
      expect(await asker.bus.request(`${service}.double`, { n: 21 }, 2000)).toEqual({ n: 42 })
      const refusal = await asker.bus.request(`${service}.refuse`, {}, 2000).catch((error) => error)
      expect(refusal).toBeInstanceOf(DomainError)
      expect(refusal).toMatchObject({ code: 'limit_images', status: 402, details: { left: 0 } })
      const broken: any = await asker.bus.request(`${service}.break`, {}, 2000).catch((error) => error)
      expect(broken).toMatchObject({ code: 'internal', status: 500 })
      expect(JSON.stringify([broken.message, broken.details])).not.toContain('secret')
    })

    test('nobody there, or nobody in time, is told as unavailable at the deadline', async () => {
      const service = name('slow')
      const one = await member(service)
      one.bus.reply(`${service}.never`, () => new Promise(() => {}))
      await one.bus.start()
      const began = Date.now()
      await expect(one.bus.request(`${service}.never`, {}, 300)).rejects.toMatchObject({ code: 'unavailable' })
      expect(Date.now() - began).toBeLessThan(1500)
      await expect(one.bus.request('nowhere.at_all', {}, 300)).rejects.toMatchObject({ code: 'unavailable' })
    })
  })
}
