import { setTimeout as delay } from 'node:timers/promises'
import { chat, openCheckout, type Person, payCheckout, signUp } from './people.ts'
import type { World } from './world.ts'

export type Call = { what: 'sign-up' | 'chat' | 'checkout' | 'mail' | 'read'; status: number; at: number; ms: number; said?: string }
export type Load = {
  calls: Call[]
  people: Person[]
  /** The ids of the answers that were given, by what keeps them. */
  answered: { signUps: string[]; messages: string[]; sessions: string[]; paid: string[] }
  stop(): Promise<void>
}

const CHATS_EACH = 15

/** Sign-ups, chats, checkouts and reads through the public door, each worker one call after another, until it is stopped. */
export function startLoad(world: World, { workers = 4, pauseMs = 60 }: { workers?: number; pauseMs?: number } = {}): Load {
  const load: Load = { calls: [], people: [], answered: { signUps: [], messages: [], sessions: [], paid: [] }, stop }
  const chats = new Map<string, number>()
  const bought = new Set<string>()
  let stopped = false

  async function noted<T extends { status: number; body: any }>(what: Call['what'], calling: Promise<T>): Promise<T> {
    const at = Date.now()
    const answer = await calling
    const said = answer.status === 200 ? undefined : JSON.stringify(answer.body).slice(0, 160)
    load.calls.push({ what, status: answer.status, at, ms: Date.now() - at, ...(said && { said }) })
    return answer
  }

  async function join() {
    const signing = signUp(world)
    await noted(
      'sign-up',
      signing.then(({ answer }) => answer),
    )
    const { person } = await signing
    if (!person) return
    load.people.push(person)
    load.answered.signUps.push(person.id)
  }

  async function talk(person: Person) {
    chats.set(person.id, (chats.get(person.id) ?? 0) + 1)
    const { status, body } = await noted('chat', chat(world, person, { conversation_id: 'new' }))
    if (status === 200) load.answered.messages.push(body.message_id)
  }

  async function buy(person: Person) {
    bought.add(person.id)
    const opening = openCheckout(world, person, world.random() < 0.5 ? 'basic' : 'pro')
    await noted(
      'checkout',
      opening.then(({ answer }) => answer),
    )
    const { session } = await opening
    if (!session) return
    load.answered.sessions.push(session)
    const paid = await noted('checkout', payCheckout(world, session))
    if (paid.status === 200) load.answered.paid.push(session)
  }

  const mail = (person: Person) => noted('mail', world.call('POST', '/auth/v1/otp', { body: { email: person.email } }))
  const read = (person: Person) =>
    noted('read', world.call('GET', '/rest/v1/activity_logs?select=id,command&limit=5', { token: person.token }))

  async function work() {
    while (!stopped) {
      const person = load.people[Math.floor(world.random() * load.people.length)]
      const roll = world.random()
      if (!person || roll < 0.3) await join()
      else if (roll < 0.6 && (chats.get(person.id) ?? 0) < CHATS_EACH) await talk(person)
      else if (roll < 0.8 && !bought.has(person.id)) await buy(person)
      else if (roll < 0.9) await mail(person)
      else await read(person)
      await delay(pauseMs * (0.5 + world.random()))
    }
  }

  const running = Array.from({ length: workers }, work)
  async function stop() {
    stopped = true
    await Promise.all(running)
  }
  return load
}

export const succeeded = (load: Load) => load.calls.filter(({ status }) => status < 300 && status > 0)
export const failed = (load: Load) => load.calls.filter(({ status }) => status >= 300 || status === 0)

/** Everything that was answered with a 2xx and is not in its database. Chats and sign-ups are checked there, payments against the provider. */
export async function missing(world: World, { answered }: Load): Promise<string[]> {
  const [users, messages, calls] = await Promise.all([
    world.query('identity', 'select id from users where id = any($1::uuid[])', [answered.signUps]),
    world.query('ai-gateway', `select id from ai_messages where id = any($1::uuid[]) and state = 'complete' and content <> ''`, [
      answered.messages,
    ]),
    world.query('billing', `select reply ->> 'id' as id from provider_calls where reply ->> 'id' = any($1::text[])`, [answered.sessions]),
  ])
  const paid = new Set(world.truth('checkout').map(({ session }) => session))
  return [
    ...absent(answered.signUps, users).map((id) => `sign-up ${id}`),
    ...absent(answered.messages, messages).map((id) => `chat ${id}`),
    ...absent(answered.sessions, calls).map((id) => `checkout ${id}`),
    ...answered.paid.filter((id) => !paid.has(id)).map((id) => `payment ${id}`),
  ]
}

function absent(ids: string[], rows: { id: string }[]): string[] {
  const there = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !there.has(id))
}
