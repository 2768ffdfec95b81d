import { setTimeout as delay } from 'node:timers/promises'
import { readersOf, settle } from './flow.ts'
import { missing, startLoad, succeeded } from './load.ts'
import { somebody } from './people.ts'
import { type Fault, until, type World } from './world.ts'

/** R20: one token refreshed fifty times at once has one successor; one that is older than its parent ends the session for all of them. */
export const raced: Fault = async (world) => {
  const person = await somebody(world)
  const refresh = (token: string) => world.call('POST', '/auth/v1/token?grant_type=refresh_token', { body: { refresh_token: token } })
  const first = await Promise.all(Array.from({ length: 50 }, () => refresh(person.refreshToken)))
  const successors = new Set(first.map(({ body }) => body?.refresh_token))
  const [second] = successors
  const third = (await refresh(second)).body?.refresh_token
  const fourth = (await refresh(third)).body?.refresh_token
  const reuse = await refresh(person.refreshToken)
  const descendants = await Promise.all([second, third, fourth].map(refresh))
  const alive = descendants.filter(({ status }) => status === 200).length
  const refused = first.filter(({ status }) => status !== 200)
  return {
    injected: '50 refreshes of one token at once, then an old one used again',
    work: `${first.length - refused.length} answered, ${successors.size} lineage`,
    lost: refused.length,
    twice: Math.max(0, successors.size - 1) + alive,
    broken: [
      ...refused.map(({ status, body }) => `a refresh answered ${status} ${JSON.stringify(body)}`),
      ...(successors.size === 1 ? [] : [`${successors.size} successors`]),
      ...(reuse.status === 200 ? ['the old token was accepted'] : []),
      ...(alive ? [`${alive} descendants refresh again after the reuse`] : []),
    ],
  }
}

/** identity is killed in the middle of sign-ups and letters: what was answered is there, no letter is lost, and a repeated one has its old Message-ID. */
export const killed: Fault = async (world) => {
  const readers = await readersOf(world)
  const load = startLoad(world, { workers: 6, pauseMs: 30 })
  const kills = world.short ? 4 : 30
  for (let n = 0; n < kills; n++) {
    await delay(800 + world.random() * 800)
    const names = world.instances('identity')
    for (const name of n % 2 ? names : names.slice(0, 1)) world.kill(name)
  }
  const killedAt = Date.now()
  const signsUp = () => load.calls.some(({ what, status, at }) => what === 'sign-up' && status === 200 && at > killedAt)
  const recoveredMs = await until(signsUp, 30_000 * world.patience)
  await load.stop()
  const { left } = await settle(world, readers)
  const [gone, letters] = [await missing(world, load), await lettersWrong(world)]
  return {
    injected: `identity killed (-9) ${kills} times during sign-ups`,
    work: `${succeeded(load).length} calls, ${load.answered.signUps.length} sign-ups answered, ${world.truth('mail').length} letters so far`,
    lost: left.length + gone.length + letters.lost.length,
    twice: letters.twice.length,
    ...(recoveredMs !== null && { recoveredMs }),
    broken: [...(recoveredMs === null ? ['nobody can sign up afterwards'] : []), ...left, ...gone, ...letters.lost, ...letters.twice],
  }
}

/** Every letter that was asked for was sent, under the id of its row and no other. */
async function lettersWrong(world: World): Promise<{ lost: string[]; twice: string[] }> {
  const rows = await world.query<{ id: string }>(
    'identity',
    `select id from outbox where kind = 'job' and available_at <= now() + interval '15 seconds'
       and (name = 'identity.send_mail' or name = 'identity.send_notice' and payload->>'via' = 'email')`,
  )
  const sent = new Set(world.truth('mail').map(({ message_id }) => String(message_id).replace(/^<|@.*$/g, '')))
  const asked = new Set(rows.map(({ id }) => id))
  // crm and marketplace write letters of their own.
  const jobsOf = (service: 'crm' | 'marketplace') => world.query<{ id: string }>(service, `select id from outbox where kind = 'job'`)
  const others = (await Promise.all((['crm', 'marketplace'] as const).map(jobsOf))).flat()
  const known = new Set([...asked, ...others.map(({ id }) => id)])
  return {
    lost: [...asked].filter((id) => !sent.has(id)).map((id) => `letter ${id} was never sent`),
    twice: [...sent].filter((id) => /^[0-9a-f-]{36}$/.test(id) && !known.has(id)).map((id) => `a letter ${id} that nobody asked for`),
  }
}
