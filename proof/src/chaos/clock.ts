import { createPrivateKey, type JsonWebKey, type KeyObject, randomUUID, sign } from 'node:crypto'
import { globSync } from 'node:fs'
import { request } from 'node:http'
import { tablesOf } from '@operon/contracts/registry'
import { type ServiceName, serviceNames } from '@operon/contracts/services'
import { readKitConfig } from '@operon/kit/config'
import { Vault } from '@operon/kit/vault'
import { doubled, readersOf, settle } from './flow.ts'
import { type Call, failed, missing, startLoad, succeeded } from './load.ts'
import { disagreements } from './money.ts'
import { chat, newAddress, type Person, somebody } from './people.ts'
import { renewed } from './rolling.ts'
import { type Fault, until, type World } from './world.ts'

const AWAY_MIN = 15
const JOB_IN_S = 5

/**
 * R17: one of every service and the gateway run a quarter of an hour ahead of the others, then a quarter of an hour behind. Each is asked
 * by itself: what has run out is refused and what has not is taken, by the time of the others; no job begins before its time, and nobody
 * settles what another still holds. Meanwhile people sign up, chat and buy, and none of them notices.
 */
export const skewed: Fault = async (world) => {
  const library = globSync('/usr/{lib,lib/*,local/lib}/faketime/libfaketime.so.1')[0]
  if (!library)
    return { skipped: 'libfaketime is not installed (apt-get install libfaketime)', injected: '', work: '', lost: 0, twice: 0, broken: [] }
  const readers = await readersOf(world)
  const signer = await openSigner(world)
  const victims = [...serviceNames.filter((name) => name !== 'sandbox').map((name) => world.instances(name)[0]!), 'gateway-1']
  const broken: string[] = []
  const calls: Call[] = []
  const gone: string[] = []
  let asked = 0
  for (const minutes of [AWAY_MIN, -AWAY_MIN]) {
    const env = { LD_PRELOAD: library, FAKETIME: `${minutes > 0 ? '+' : ''}${minutes}m`, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
    const ready = await Promise.all(victims.map((name) => renewed(world, name, env)))
    const late = victims.filter((_, i) => !ready[i]).map((name) => `${name} was not ready`)
    const load = startLoad(world)
    const found = (await Promise.all([tokens(world, signer), codes(world), jobs(world), holds(world)])).flat()
    asked += found.length
    await load.stop()
    calls.push(...load.calls)
    gone.push(...(await missing(world, load)))
    broken.push(...[...late, ...found.filter((each) => each !== null)].map((each) => `${minutes} minutes: ${each}`))
  }
  await Promise.all(victims.map((name) => renewed(world, name)))
  const { left } = await settle(world, readers)
  const [twice, money] = [await doubled(world), await disagreements(world)]
  const refused = failed({ calls } as never)
  return {
    injected: `the clocks of ${victims.length} processes ${AWAY_MIN} minutes ahead, then behind`,
    work: `${asked} questions of time, ${succeeded({ calls } as never).length} calls, ${refused.length} failed`,
    lost: left.length + gone.length,
    twice: twice.length,
    broken: [
      ...broken,
      ...refused.map(({ what, status, ms, said }) => `a ${what} answered ${status} after ${ms} ms: ${said}`),
      ...left,
      ...gone,
      ...twice,
      ...money,
    ],
  }
}

/** The fault of each answer, in a sentence; null where there is none. */
type Answers = Promise<(string | null)[]>
type Signer = (person: Person, changed: object) => string

/** Each believes what has a minute left, and neither what ended a minute ago nor what begins in one; a sign-in of eleven minutes ago confirms nothing. */
async function tokens(world: World, signed: Signer): Answers {
  const person = await somebody(world)
  const at = Math.floor(Date.now() / 1000)
  const kinds: [string, object, (status: number) => boolean][] = [
    ['a token with a minute left', { iat: at - 3540, exp: at + 60 }, (status) => status === 200],
    ['a token that ended a minute ago', { iat: at - 3660, exp: at - 60 }, isRefusal],
    ['a token that begins in a minute', { nbf: at + 60 }, isRefusal],
  ]
  const doors = serviceNames.flatMap((service) => {
    const table = tablesOf(service).find(({ access }) => access === 'user')
    return table
      ? [{ who: service as string, ask: (token: string) => ask(world, service, 'GET', `/rest/v1/${table.name}?limit=1`, { token }) }]
      : []
  })
  doors.push({ who: 'the gateway', ask: (token) => world.call('GET', '/auth/v1/user', { token }) })
  const wrong = doors.flatMap(({ who, ask }) =>
    kinds.map(async ([what, changed, isRight]) => {
      const { status } = await ask(signed(person, changed))
      return isRight(status) ? null : `${who} answered ${status} to ${what}`
    }),
  )
  const signedIn = (minutes: number) => signed(person, { amr: [{ method: 'password', timestamp: at - minutes * 60 }] })
  const confirming = (
    [
      [11, isRefusal],
      [9, (status: number) => status === 200],
    ] as const
  ).map(async ([minutes, isRight]) => {
    const { status } = await ask(world, 'identity', 'POST', '/functions/v1/account-export', { token: signedIn(minutes), body: {} })
    return isRight(status) ? null : `an export answered ${status} to a sign-in of ${minutes} minutes ago`
  })
  return Promise.all([...wrong, ...confirming])
}

/** A code is good until its time by the database; what is signed for it lives as long as the others think. */
async function codes(world: World): Answers {
  const use = async (leftS: number) => {
    const { email, id } = await somebody(world, newAddress(world, 'clock'))
    await world.call('POST', '/auth/v1/otp', { body: { email } })
    let code = ''
    await until(async () => {
      const { body } = await world.call('GET', `/sandbox/api/inbox?to=${email}`)
      code = /\b\d{6}\b/.exec(body.messages?.map(({ text }: { text: string }) => text).join() ?? '')?.[0] ?? ''
      return code !== ''
    }, 15_000 * world.patience)
    await world.query('identity', `update one_time_tokens set expires_at = now() + $2 * interval '1 second' where user_id = $1`, [
      id,
      leftS,
    ])
    return ask(world, 'identity', 'POST', '/auth/v1/verify', { body: { type: 'email', email, token: code } })
  }
  const [good, over] = await Promise.all([use(60), use(-60)])
  const { iat = 0, exp = 0 } = good.status === 200 ? claimsOf(good.body.access_token) : {}
  return [
    good.status === 200 ? null : `a code with a minute left answered ${good.status} ${JSON.stringify(good.body)}`,
    over.status !== 200 ? null : 'a code that ended a minute ago was taken',
    Math.abs(iat - Date.now() / 1000) < 10 && exp - iat === 3600 ? null : `a token of ${iat} to ${exp} was signed at ${Date.now() / 1000}`,
  ]
}

/** A job that is wished for later begins then, not before. */
async function jobs(world: World): Answers {
  const to = newAddress(world, 'later')
  const payload = { template: 'new_sign_in', to, detail: { ip: '127.0.0.1', device: 'chaos', at: 'now' } }
  const [row] = await world.query<{ due: Date }>(
    'identity',
    `insert into outbox (id, kind, name, payload, available_at) values ($1, 'job', 'identity.send_mail', $2, now() + $3 * interval '1 second')
     returning available_at as due`,
    [randomUUID(), payload, JOB_IN_S],
  )
  const { due } = row!
  const sent = () => world.truth('mail').find((mail) => mail.to.includes(to))
  await until(() => sent() !== undefined, (JOB_IN_S + 20) * 1000 * world.patience)
  const at = sent()?.at
  return [at && Date.parse(at) >= due.getTime() ? null : `a letter for ${due.toISOString()} was sent at ${at ?? 'no time'}`]
}

/** Units that are held for five more minutes are still held after the sweep of whoever thinks that those are over. */
async function holds(world: World): Answers {
  const person = await somebody(world)
  await chat(world, person)
  const id = randomUUID()
  await world.query(
    'ai-gateway',
    `with held as (update usage_counters set reserved = reserved + 1 where user_id = $2 and unit = 'prompts' returning *)
     insert into usage_reservations (id, user_id, unit, period_start, amount, feature, expires_at)
     select $1, user_id, unit, period_start, 1, 'chat', now() + interval '5 minutes' from held`,
    [id, person.id],
  )
  const sweeps = Array.from({ length: 6 }, () => randomUUID())
  for (const sweep of sweeps)
    await world.query('ai-gateway', `insert into outbox (id, kind, name, payload) values ($1, 'job', 'ai-gateway.sweep', '{}')`, [sweep])
  const done = `select count(*)::int as n from inbox where event_id = any($1::uuid[]) and done_at is not null`
  const swept = await until(async () => (await world.query('ai-gateway', done, [sweeps]))[0].n === sweeps.length, 20_000 * world.patience)
  const [{ state }] = await world.query(
    'ai-gateway',
    `with freed as (update usage_reservations set state = 'released' where id = $1 and state = 'reserved' returning old.state, user_id),
       counted as (update usage_counters c set reserved = reserved - 1 from freed where c.user_id = freed.user_id and c.unit = 'prompts')
     select coalesce((select state from freed), 'settled') as state`,
    [id],
  )
  return [swept === null ? 'the sweep did not run' : null, state === 'reserved' ? null : 'a unit that was still held was settled']
}

const isRefusal = (status: number) => status === 401 || status === 403

/** One process by itself, past the gateway: the first instance of the service. */
function ask(world: World, service: ServiceName, method: string, path: string, { token, body }: { token?: string; body?: unknown }) {
  const socketPath = world.fleet.env[`UPSTREAM_${service.toUpperCase().replaceAll('-', '_')}`]!.split(',')[0]!.replace(/^unix:/, '')
  const headers = {
    apikey: 'anon',
    'x-forwarded-for': '127.0.0.1',
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  return new Promise<{ status: number; body: any }>((resolve, reject) => {
    const asking = request({ socketPath, method, path, headers, timeout: 15_000 }, async (response) => {
      const text = (await response.toArray()).join('')
      resolve({ status: response.statusCode!, body: text.startsWith('{') ? JSON.parse(text) : text })
    })
    asking.on('error', reject).on('timeout', () => asking.destroy(new Error(`${service} did not answer`)))
    asking.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Signs as identity does, with its own key, what identity would not sign. */
async function openSigner(world: World): Promise<Signer> {
  const vault = await Vault.open(readKitConfig(world.fleet.env))
  const [row] = await world.query('identity', 'select kid, sealed_private from signing_keys order by created_at desc limit 1')
  const jwk = JSON.parse(vault.open(row.sealed_private, `signing_keys:${row.kid}`)) as JsonWebKey
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  return ({ token }, changed) => jwtOf(key, row.kid, { ...claimsOf(token), ...changed })
}

function jwtOf(key: KeyObject, kid: string, claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const text = `${encode({ alg: 'ES256', typ: 'JWT', kid })}.${encode(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

const claimsOf = (token: string): Record<string, any> => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
