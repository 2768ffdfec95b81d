import { seededRandom } from '../random.ts'
import { type Json, type Operation, operationsOf } from './document.ts'
import type { startModel } from './model.ts'
import { enrol } from './people.ts'
import { type Platform, SANDBOX_KEY, SERVICE_KEY } from './platform.ts'

/** `beside`: another attack that the same calls tell about; `notes`: what could not be tried, and why. */
export type Told = { tried: number; findings: string[]; notes?: string[]; beside?: Record<string, Told> }
export type Attack = (world: World) => Promise<Told>
/** `half signed in`, `half staff`: with a second factor, signed in without it. */
export type ActorKind =
  | 'half signed in'
  | 'anonymous'
  | 'buyer'
  | 'seller'
  | 'other seller'
  | 'expired'
  | 'suspended'
  | 'staff'
  | 'half staff'
  | 'service'
export type Actor = { kind: ActorKind; id: string | null; email: string; token: string | null; session?: Kept }
/** A session as the auth client of a browser keeps it. */
export type Kept = { access_token: string; refresh_token: string; user: { id: string; email: string } }
export type Answer = { status: number; headers: Headers; text: string; body: Json }
export type World = {
  platform: Platform
  url: string
  short: boolean
  /** The same numbers again under the same seed. */
  random: () => number
  operations: Operation[]
  /** The attacker's own model, which `openai` is here. */
  model: Awaited<ReturnType<typeof startModel>>
  /** Places to search for leaks: logs, traces, files, and the secrets given to the platform. */
  lines: string[]
  spans(): string
  flushSpans(): Promise<void>
  dataDir: string
  secrets: [what: string, value: string][]
  actor(kind: ActorKind): Promise<Actor>
  /** Nobody else uses it: for calls that end what they are called with. */
  fresh(kind: ActorKind): Promise<Actor>
  /** A new account whose address is confirmed, signed in with its password. */
  signUp(email: string, more?: object): Promise<Kept>
  /** As the operator does. */
  confirm(userId: string): Promise<void>
  call(actor: Actor, method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** Configured as staff; one for each fresh actor that may be asked for. */
export const STAFF = 80
export const staffAddress = (n: number) => `staff-${n}@example.com`

export const PASSWORD = 'Correct-Horse-9-Battery'

type Surroundings = Pick<World, 'platform' | 'short' | 'model' | 'lines' | 'spans' | 'flushSpans' | 'dataDir' | 'secrets'> & {
  seed: number
}

export async function openWorld({ seed, ...surroundings }: Surroundings): Promise<World> {
  const { platform } = surroundings
  const url = platform.address
  const kept = new Map<ActorKind, Promise<Actor>>()
  let made = 0
  let staffMade = 0

  async function call(actor: Actor, method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(20_000),
      headers: {
        apikey: 'anon',
        ...(actor.token && { authorization: `Bearer ${actor.token}` }),
        ...(path.startsWith('/sandbox') && { 'x-sandbox-key': SANDBOX_KEY }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }),
    } as RequestInit)
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  }

  const anonymous: Actor = { kind: 'anonymous', id: null, email: '', token: null }
  const service: Actor = { ...anonymous, kind: 'service', token: SERVICE_KEY }

  async function confirm(userId: string) {
    const ask = () => call(service, 'PUT', `/auth/v1/admin/users/${userId}`, { email_confirm: true })
    let { status, text } = await ask()
    // A machine that does more beside this may have no answer in time.
    for (let tries = 0; status === 503 && tries < 10; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      ;({ status, text } = await ask())
    }
    if (status !== 200) throw new Error(`no address could be confirmed: ${status} ${text}`)
  }

  const signIn = async (email: string): Promise<Kept> =>
    (await call(anonymous, 'POST', '/auth/v1/token?grant_type=password', { email, password: PASSWORD })).body

  async function signUp(email: string, more: object = {}): Promise<Kept> {
    const { status, text, body } = await call(anonymous, 'POST', '/auth/v1/signup', { email, password: PASSWORD, ...more })
    if (status !== 200 || body?.access_token || !body?.id) throw new Error(`a sign-up that waits for its letter: ${status} ${text}`)
    await confirm(body.id)
    const session = await signIn(email)
    if (!session?.access_token) throw new Error(`${email} cannot sign in: ${JSON.stringify(session)}`)
    return session
  }

  async function make(kind: ActorKind): Promise<Actor> {
    if (kind === 'anonymous') return anonymous
    if (kind === 'service') return service
    const isStaff = kind === 'staff' || kind === 'half staff'
    const isHalf = kind === 'half signed in' || kind === 'half staff'
    const email = isStaff ? staffAddress(staffMade++) : `${kind.replaceAll(' ', '-')}-${seed}-${made++}@example.com`
    const session = await signUp(email, { data: { name: `A ${kind}` } })
    const actor: Actor = { kind, id: session.user.id, email, token: session.access_token, session }
    if (kind === 'buyer' || kind === 'seller' || kind === 'other seller')
      await call(actor, 'POST', '/rest/v1/user_roles', { user_id: actor.id, role: kind === 'buyer' ? 'buyer' : 'seller' })
    if (isHalf || isStaff) {
      const whole = await enrol(call, actor)
      const session = isHalf ? await signIn(email) : whole
      return { ...actor, token: session.access_token, session }
    }
    if (kind === 'expired') return { ...actor, token: expired(actor.token!) }
    if (kind === 'suspended') await call(service, 'PUT', `/auth/v1/admin/users/${actor.id}`, { ban_duration: '24h' })
    return actor
  }

  const world: World = {
    ...surroundings,
    url,
    random: seededRandom(seed),
    operations: [],
    fresh: make,
    signUp,
    confirm,
    call,
    actor(kind) {
      const actor = kept.get(kind) ?? make(kind)
      kept.set(kind, actor)
      return actor
    },
  }
  const { body } = await call(anonymous, 'GET', '/openapi.json')
  world.operations = operationsOf(body)
  return world
}

/** The same token with a time that has passed: its signature no longer fits, as no forged one does. */
function expired(token: string): string {
  const [header, payload, signature] = token.split('.') as [string, string, string]
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return [header, Buffer.from(JSON.stringify({ ...claims, exp: 1 })).toString('base64url'), signature].join('.')
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
