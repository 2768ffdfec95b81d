import { randomUUID } from 'node:crypto'
import { createBullJobs } from '@operon/kit/jobs/bullmq'
import { openRedisQueue } from '@operon/kit/jobs/redis'
import { createLogger } from '@operon/kit/telemetry'
import { somebody } from './people.ts'
import { type Fault, type Outcome, until, type World } from './world.ts'

/**
 * R23: an event and a job that fail at every try, for a reason in the database that is mended later. They are parked where they can be
 * seen, the others pass them by, and once mended each is replayed and done once.
 */
export const poisoned: Fault = async (world) => {
  const person = { id: randomUUID(), email: `poison-${world.seed}@example.com` }
  const [event, job] = [randomUUID(), randomUUID()]
  world.poisoned.add(event).add(job)
  await refuse(world, 'billing', 'accounts', `new.email = '${person.email}'`)
  await refuse(world, 'ai-gateway', 'inbox', `new.event_id = '${job}'`)
  const payload = { version: 1, email: person.email, name: 'Poison', referral_code: null, role: null }
  await send(world, 'identity', { id: event, kind: 'event', name: 'identity.user_created', userId: person.id, payload })
  await send(world, 'ai-gateway', { id: job, kind: 'job', name: 'ai-gateway.sweep', userId: null, payload: {} })
  const flowing = await flows(world)
  return { later: () => parkedAndReplayed(world, person.id, event, job, flowing) }
}

async function parkedAndReplayed(world: World, userId: string, event: string, job: string, flowing: number | null): Promise<Outcome> {
  const broken: string[] = []
  const parkedEvent = `select handler, attempts, error from inbox where event_id = $1 and parked_at is not null`
  const seen = await until(async () => (await world.query('billing', parkedEvent, [event])).length === 1, 90_000 * world.patience, 250)
  const [shown] = await world.query('billing', parkedEvent, [event])
  if (seen === null) broken.push('the event was not parked')
  else if (!/poison/.test(shown.error)) broken.push(`the parked event does not say why: ${shown.error}`)

  const queue = await openQueue(world)
  const parked = async () => (await queue.jobs.parked()).find(({ id }) => id === job)
  if ((await until(async () => (await parked()) !== undefined, 60_000 * world.patience, 250)) === null)
    broken.push('the job was not parked')
  const tries = (await parked())?.attempts ?? 0
  if (flowing === null) broken.push('other events waited behind the poison')

  await mend(world, 'billing', 'accounts')
  await mend(world, 'ai-gateway', 'inbox')
  const [{ count = 0 } = {}] = await world.query(
    'billing',
    `with replayed as (update inbox set parked_at = null, attempts = 0, next_at = now(), error = null where event_id = $1 and parked_at is not null returning 1)
     select count(*)::int as count from replayed`,
    [event],
  )
  if (count !== 1) broken.push('the event could not be replayed')
  if (!(await queue.jobs.replay(job))) broken.push('the job could not be replayed')
  const done = await until(async () => (await effects(world, userId, job)).every((n) => n === 1), 20_000 * world.patience)
  const counts = await effects(world, userId, job)
  if (done === null) broken.push(`replayed, the effects are ${counts.join(' and ')} instead of one each`)
  await queue.close()
  world.poisoned.clear()
  return {
    injected: 'an event and a job that cannot succeed',
    work: `parked after ${shown?.attempts ?? 0} and ${tries} tries, another event passed in ${Math.round(flowing ?? 0)} ms`,
    lost: counts.filter((n) => n < 1).length,
    twice: counts.filter((n) => n > 1).length,
    ...(done !== null && { recoveredMs: done }),
    broken,
  }
}

/** How long an account that is made now takes to reach billing, past what is failing there. */
async function flows(world: World): Promise<number | null> {
  const { id } = await somebody(world)
  return until(
    async () => (await world.query('billing', 'select from accounts where user_id = $1', [id])).length === 1,
    5_000 * world.patience,
  )
}

const effects = async (world: World, userId: string, job: string): Promise<number[]> => {
  const [[account], [mark]] = await Promise.all([
    world.query('billing', 'select count(*)::int as n from accounts where user_id = $1', [userId]),
    world.query('ai-gateway', `select count(*)::int as n from inbox where handler = 'job' and event_id = $1 and done_at is not null`, [
      job,
    ]),
  ])
  return [account.n, mark.n]
}

type Row = { id: string; kind: 'event' | 'job'; name: string; userId: string | null; payload: object }
const send = (world: World, service: 'identity' | 'ai-gateway', { id, kind, name, userId, payload }: Row) =>
  world.query(service, 'insert into outbox (id, kind, name, user_id, payload) values ($1, $2, $3, $4, $5)', [
    id,
    kind,
    name,
    userId,
    payload,
  ])

async function refuse(world: World, service: 'billing' | 'ai-gateway', table: string, when: string) {
  await world.query(
    service,
    `create function poison() returns trigger language plpgsql as $$ begin if ${when} then raise exception 'poison'; end if; return new; end $$;
     create trigger poison before insert or update on ${table} for each row execute function poison()`,
  )
}
const mend = (world: World, service: 'billing' | 'ai-gateway', table: string) =>
  world.query(service, `drop trigger poison on ${table}; drop function poison()`)

/** The service's queue as an operator opens it: to look and to replay, not to work. */
async function openQueue(world: World) {
  const store = await openRedisQueue(world.fleet.env.QUEUE_URL!, createLogger('silent'))
  const deaf = { progress: async () => {}, tellCancel: async () => {}, onCancel: () => {} }
  const jobs = createBullJobs({ service: 'ai-gateway', db: null as never, log: createLogger('silent'), ...store, ...deaf })
  const close = async () => {
    await jobs.close()
    await store.close()
  }
  return { jobs, close }
}
