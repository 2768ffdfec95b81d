import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { chat, crowd, type Person, somebody } from './people.ts'
import { type Fault, until, type World } from './world.ts'

/**
 * R14: some answers are cut by their provider, and then every instance is killed in the middle of others. Each reservation is settled or
 * released, each once; one that could not be settled ends as `unknown`, at no more than it had reserved.
 */
export const killed: Fault = async (world) => {
  const people = await crowd(world, world.short ? 12 : 100)
  const [cut, slow] = [people.slice(0, 3), people.slice(3)]
  const before = world.truth('completion').length
  await fault(world, { kind: 'truncate', times: cut.length })
  const cutAnswers = await Promise.all(cut.map((person) => chat(world, person, { stream: true })))
  await clearFaults(world)

  await fault(world, { kind: 'slow_body', ms: 20_000, times: 0 })
  const streaming = slow.map((person) => chat(world, person, { stream: true, conversation_id: 'new' }))
  const begun = await until(async () => (await open(world, slow)) === slow.length, 10_000 * world.patience)
  await delay(500)
  for (const name of world.instances('ai-gateway')) world.kill(name)
  const answers = await Promise.all(streaming)
  await clearFaults(world)
  const back = await until(async () => (await chat(world, people[0]!)).status === 200, 30_000 * world.patience)

  const left = await open(world, slow)
  // As if the time they may take were over; then the sweep's turn is brought forward.
  await world.query(
    'ai-gateway',
    `update usage_reservations set expires_at = now() where state = 'reserved' and user_id = any($1::uuid[])`,
    [ids(slow)],
  )
  await world.query('ai-gateway', `insert into outbox (id, kind, name, payload) values ($1, 'job', 'ai-gateway.sweep', '{}')`, [
    randomUUID(),
  ])
  await until(async () => (await open(world, people)) === 0, 20_000 * world.patience)
  const wrong = await unevenMeters(world, people)
  const whole = answers.filter(({ status, body }) => status === 200 && /event: done/.test(String(body)))
  const honest = cutAnswers.filter(({ body }) => /event: error/.test(String(body)) && !/event: done/.test(String(body)))
  return {
    injected: `${cut.length} answers cut by the provider, ai-gateway killed (-9) during ${slow.length} more`,
    work: `${left} reservations left by the dead, ${world.truth('completion').length - before} completions at the provider`,
    lost: await open(world, people),
    twice: wrong.length,
    ...(back !== null && { recoveredMs: back }),
    broken: [
      ...(begun === null ? ['not every answer had begun, so too little was shown'] : []),
      ...(whole.length ? [`${whole.length} answers that were cut off were said to be complete`] : []),
      ...(honest.length < cut.length ? [`${cut.length - honest.length} cut answers did not say so`] : []),
      ...(back === null ? ['no chat is answered afterwards'] : []),
      ...wrong,
    ],
  }
}

/** R21: one prompt is left and two hundred ask for it at once. */
export const lastPrompt: Fault = async (world) => {
  const person = await somebody(world)
  const first = await chat(world, person)
  const settled = `update usage_counters set used = 24 where user_id = $1 and unit = 'prompts' and reserved = 0 returning used`
  await until(async () => (await world.query('ai-gateway', settled, [person.id])).length === 1, 5_000)
  const answers = await Promise.all(Array.from({ length: 200 }, () => chat(world, person)))
  const granted = answers.filter(({ status }) => status === 200).length
  const refused = answers.filter(({ body }) => body?.code === 'limit_prompts').length
  await until(async () => (await open(world, [person])) === 0, 5_000)
  const [row] = await world.query('ai-gateway', `select used, reserved from usage_counters where user_id = $1 and unit = 'prompts'`, [
    person.id,
  ])
  return {
    injected: 'the last prompt of 25 asked for by 200 at once',
    work: `${granted} granted, ${refused} refused with the plan's message`,
    lost: granted < 1 ? 1 : 0,
    twice: Math.max(0, granted - 1),
    broken: [
      ...(first.status === 200 ? [] : [`the first chat answered ${first.status}`]),
      ...(granted === 1 ? [] : [`${granted} were granted`]),
      ...(granted + refused === 200
        ? []
        : [
            `${200 - granted - refused} got another answer: ${JSON.stringify(answers.find(({ status, body }) => status !== 200 && body?.code !== 'limit_prompts')?.body)}`,
          ]),
      ...(row.used === 25 && row.reserved === 0 ? [] : [`the counter says ${row.used} used and ${row.reserved} reserved`]),
    ],
  }
}

const ids = (people: Person[]) => people.map(({ id }) => id)
const fault = (world: World, order: object) => world.call('POST', '/sandbox/api/faults', { body: { provider: 'openai', ...order } })
const clearFaults = (world: World) => world.call('DELETE', '/sandbox/api/faults?provider=openai')

async function open(world: World, people: Person[]): Promise<number> {
  const [row] = await world.query(
    'ai-gateway',
    `select count(*)::int as n from usage_reservations where state = 'reserved' and user_id = any($1::uuid[])`,
    [ids(people)],
  )
  return row.n
}

/** Used is what was settled or is unknown; nothing stays reserved; nothing is negative or above what was asked for. */
async function unevenMeters(world: World, people: Person[]): Promise<string[]> {
  const rows = await world.query(
    'ai-gateway',
    `select c.user_id, c.used, c.reserved, count(*) filter (where r.state in ('settled', 'unknown'))::int as spent, count(*)::int as asked
     from usage_counters c join usage_reservations r using (user_id, unit, period_start) where c.user_id = any($1::uuid[]) group by 1, 2, 3`,
    [ids(people)],
  )
  return rows
    .filter(({ used, reserved, spent, asked }) => used !== spent || reserved !== 0 || used > asked)
    .map(({ user_id, used, reserved, spent }) => `${user_id}: ${used} used and ${reserved} reserved, where ${spent} were spent`)
}
