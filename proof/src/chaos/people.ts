import { type Answer, until, type World } from './world.ts'

export type Person = { id: string; email: string; token: string; refreshToken: string }

export const PASSWORD = 'Correct-Horse-9-Battery'
let made = 0

export const newAddress = (world: World, kind: string) => `${kind}-${world.seed}-${++made}@example.com`

export async function signUp(world: World, email = newAddress(world, 'person')): Promise<{ answer: Answer; person: Person | null }> {
  const answer = await world.call('POST', '/auth/v1/signup', { body: { email, password: PASSWORD, data: { name: 'A Person' } } })
  const { access_token: token, refresh_token: refreshToken, user } = answer.body ?? {}
  return { answer, person: answer.status === 200 && token ? { id: user.id, email, token, refreshToken } : null }
}

/** Someone who must be there for a fault to begin. */
export async function somebody(world: World, email?: string): Promise<Person> {
  const { answer, person } = await signUp(world, email)
  if (!person) throw new Error(`nobody could sign up: ${answer.status} ${JSON.stringify(answer.body)}`)
  return person
}

export async function crowd(world: World, count: number): Promise<Person[]> {
  const people: Person[] = []
  while (people.length < count)
    people.push(...(await Promise.all(Array.from({ length: Math.min(10, count - people.length) }, () => somebody(world)))))
  return people
}

export const chat = (world: World, person: Person, body: object = {}): Promise<Answer> =>
  world.call('POST', '/functions/v1/ai-chat', { token: person.token, body: { message: 'What should we call it?', ...body } })

/** The page's address ends with the session's id. */
export async function openCheckout(world: World, person: Person, plan: string): Promise<{ answer: Answer; session: string | null }> {
  const answer = await world.call('POST', '/functions/v1/create-checkout', { token: person.token, body: { plan } })
  return { answer, session: answer.status === 200 ? new URL(answer.body.url).pathname.split('/').at(-1)! : null }
}

export const payCheckout = (world: World, session: string): Promise<Answer> =>
  world.call('POST', `/sandbox/api/stripe/checkout/${session}/complete`, { body: { address: { country: 'US', postal_code: '97201' } } })

/** As if the trial were over, so that a checkout is charged at once. */
export async function useUpTrial(world: World, person: Person): Promise<void> {
  const update = 'update accounts set trial_used_at = now() where user_id = $1 returning user_id'
  await until(async () => (await world.query('billing', update, [person.id])).length === 1, 10_000 * world.patience)
}

/** An answer that says "not now" rather than "no": whoever asked may ask again. */
export const isLater = ({ status, body }: Answer) => status === 0 || status === 429 || status >= 500 || body?.code === 'idempotency_running'
