import { inLanes, killInTurn } from './checkout.ts'
import { doubled, readersOf, settle } from './flow.ts'
import { crowd, isLater, type Person } from './people.ts'
import { type Answer, type Fault, until, type World } from './world.ts'

/** Pictures that a person without a plan may make. */
const EACH = 5
const AT_ONCE = 4

/**
 * Pictures: the workers of media are killed one after another while people have pictures drawn. A picture that is kept is charged once and
 * was drawn by the provider; one that is not kept is not charged; none is left behind, and none is asked for a third time.
 */
export const drawn: Fault = async (world) => {
  const readers = await readersOf(world)
  const people = await crowd(world, world.short ? 6 : 24)
  // So long that most of them are killed over a picture.
  await world.call('POST', '/sandbox/faults', {
    body: { provider: 'openai', kind: 'slow_headers', ms: 1_000, match: '/images/', times: 0 },
  })
  const killing = new AbortController()
  let done = 0
  const share = () => done / people.length
  const most = world.short ? 5 : 20
  const kills = killInTurn(world, killing.signal, { most, mainly: 'media', among: ['media'], done: share })
  const problems = await inLanes(people, AT_ONCE, async (person) => {
    const why = await drawAll(world, person)
    done++
    return why
  })
  killing.abort()
  const killed = await kills
  await world.call('DELETE', '/sandbox/faults', {})
  const quietFrom = performance.now()
  const { left } = await settle(world, readers)
  const recoveredMs = performance.now() - quietFrom
  const { broken, kept, again, unkept } = await compare(world, people)
  const twice = await doubled(world)
  return {
    injected: `${killed} workers of media killed (-9) over pictures`,
    work: `${kept} pictures kept and charged, ${unkept} neither, ${again} drawn once more`,
    lost: left.length + broken.length,
    twice: twice.length,
    recoveredMs,
    broken: [...problems.flatMap((why) => why ?? []), ...broken, ...left, ...twice],
  }
}

/** All five, one key each however often it is asked, until each has ended. */
async function drawAll(world: World, person: Person): Promise<string | null> {
  const ids: string[] = []
  for (let at = 0; at < EACH; at++) {
    const body = { prompt: `a red bicycle number ${at}`, model: 'gpt-image-1', size: '1024x1024' }
    const headers = { 'idempotency-key': `picture-${person.id}-${at}` }
    const answer = await insist(world, () => world.call('POST', '/functions/v1/start-images', { token: person.token, body, headers }))
    if (answer.status !== 200) return `no picture begun: ${answer.status} ${JSON.stringify(answer.body)}`
    ids.push(answer.body.pictures[0].id)
  }
  const open = async () => {
    const found = await world.query('media', `select id from pictures where id = any($1::uuid[]) and state in ('queued', 'running')`, [ids])
    return found.length === 0
  }
  return (await until(open, 120_000 * world.patience, 500)) === null ? `pictures of ${person.id} did not end` : null
}

async function insist(world: World, ask: () => Promise<Answer>): Promise<Answer> {
  for (const end = Date.now() + 60_000 * world.patience; ; ) {
    const answer = await ask()
    if (Date.now() > end || !(isLater(answer) || answer.body?.code === 'idempotency_running')) return answer
    await new Promise((resolve) => setTimeout(resolve, 150))
  }
}

type Row = { user_id: string; id: string; state: string; asked_times: number; fell_back: boolean; has_file: boolean; told: number }

/** Rows, files, counters and events of media beside what the provider says it drew. */
async function compare(world: World, people: Person[]) {
  const rows = await world.query<Row>(
    'media',
    `select p.user_id, p.id, p.state, p.asked_times, p.used_model <> p.model as fell_back, exists (select from files f where f.id = p.id and f.state = 'ready') as has_file,
       (select count(*)::int from outbox o where o.name = 'media.image_made' and o.payload ->> 'picture_id' = p.id::text) as told
     from pictures p where p.user_id = any($1::uuid[])`,
    [people.map(({ id }) => id)],
  )
  const counters = await world.query('media', `select user_id, used, reserved from usage_counters where unit = 'images'`)
  const truth = Map.groupBy(world.truth('image'), ({ account }) => account as string)
  const broken: string[] = []
  let again = 0
  for (const { id, token } of people) {
    const mine = rows.filter(({ user_id }) => user_id === id)
    const kept = mine.filter(({ state }) => state === 'done')
    const drawnFor = (truth.get(id) ?? []).reduce((sum, { pictures }) => sum + Number(pictures), 0)
    // The count begins anew with the model that steps in; the first one was asked twice at most.
    const asked = mine.reduce((sum, { asked_times, fell_back }) => sum + asked_times + (fell_back ? 2 : 0), 0)
    const { used = 0, reserved = 0 } = counters.find(({ user_id }) => user_id === id) ?? {}
    again += drawnFor - kept.length
    if (mine.length !== EACH) broken.push(`${id} ordered ${EACH} pictures and has ${mine.length}`)
    if (Number(used) !== kept.length || Number(reserved) !== 0)
      broken.push(`${id} keeps ${kept.length}, is charged ${used} and holds ${reserved}`)
    if (drawnFor < kept.length || drawnFor > asked) broken.push(`${id} keeps ${kept.length} of ${drawnFor} drawn, ${asked} asked`)
    for (const { id: picture, asked_times, has_file, told } of kept) {
      if (!has_file) broken.push(`picture ${picture} is kept without its file`)
      if (told !== 1) broken.push(`picture ${picture} was told of ${told} times`)
      if (asked_times > 2) broken.push(`picture ${picture} was asked for ${asked_times} times`)
      const { status } = await fetch(`${world.url}/files/v1/media/~pictures/${picture}`, { headers: { authorization: `Bearer ${token}` } })
      if (status !== 200) broken.push(`picture ${picture} does not open: ${status}`)
    }
  }
  const kept = rows.filter(({ state }) => state === 'done').length
  return { broken, kept, again, unkept: rows.length - kept }
}
