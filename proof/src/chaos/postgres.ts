import { setTimeout as delay } from 'node:timers/promises'
import { serviceNames } from '@operon/contracts/services'
import { doubled, readersOf, settle } from './flow.ts'
import { failed, type Load, missing, startLoad, succeeded } from './load.ts'
import { somebody } from './people.ts'
import { type Fault, until, type World } from './world.ts'

const RECOVERED_MS = 3_000
const AWAY_MS = 3_000

/** R11: one service's database goes away, then the whole server is killed. Acknowledged writes are stored, and services that do not need it go on. */
export const killed: Fault = async (world) => {
  const readers = await readersOf(world)
  const person = await somebody(world)
  const load = startLoad(world)
  await delay(1_000)
  const starts = restarts(world)

  const without = Date.now()
  await close(world, true)
  await delay(AWAY_MS)
  const others = failed(load).filter(({ what, at, ms }) => what === 'read' && at > without && at + ms < Date.now())
  await close(world, false)
  const alone = await recovery(world, load, 'sign-up')

  const server = world.fleet.postgres
  let whole: number | null = alone
  if (server) {
    server.hold()
    process.kill(server.pid(), 'SIGKILL')
    await delay(AWAY_MS)
    const { status } = await world.call('GET', '/healthz')
    if (status !== 200) others.push({ what: 'read', status, at: Date.now(), ms: 0, said: 'the gateway itself' })
    server.release()
    await until(async () => (await world.query('identity', 'select 1')).length === 1, 30_000)
    whole = await recovery(world, load, 'sign-up', 'chat', 'read')
  }
  await load.stop()

  const { left } = await settle(world, readers)
  const [gone, twice] = await Promise.all([missing(world, load), doubled(world)])
  const limit = RECOVERED_MS * world.patience
  const read = await world.call('GET', '/rest/v1/activity_logs?limit=1', { token: person.token })
  return {
    injected: `identity's database away for ${AWAY_MS / 1000} s${server ? `, then the whole server killed (-9) for ${AWAY_MS / 1000} s` : ''}`,
    work: `${succeeded(load).length} calls, ${failed(load).length} told to come back`,
    lost: left.length + gone.length,
    twice: twice.length,
    ...(alone !== null && whole !== null && { recoveredMs: Math.max(alone, whole) }),
    broken: [
      ...(alone === null || alone > limit
        ? [`sign-ups work again ${alone === null ? 'never' : `only ${(alone / 1000).toFixed(1)} s`} after its return`]
        : []),
      ...(whole === null || whole > limit
        ? [`the platform works again ${whole === null ? 'never' : `only ${(whole / 1000).toFixed(1)} s`} after the server's return`]
        : []),
      ...others.map(({ what, status, said }) => `a ${what} that needs another database answered ${status} ${said}`),
      ...failed(load)
        .filter(({ status }) => status === 500)
        .map(({ what, said }) => `a ${what} answered 500: ${said}`),
      ...restarts(world).flatMap((now, i) => (now.count > starts[i]!.count ? [`${now.name} died of it`] : [])),
      ...(read.status === 200 ? [] : [`reads answer ${read.status} afterwards`]),
      ...left,
      ...gone,
      ...twice,
    ],
  }
}

/** As if its server were gone: nobody gets in, and who is in is thrown out. */
async function close(world: World, away: boolean) {
  await world.query('analytics', `alter database identity with allow_connections ${!away}`)
  if (away) await world.query('analytics', `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'identity'`)
}

/** Until a call of each kind that began after now has been answered with a 2xx. */
function recovery(world: World, load: Load, ...kinds: Load['calls'][number]['what'][]): Promise<number | null> {
  const from = Date.now()
  const works = (kind: string) => load.calls.some(({ what, status, at }) => what === kind && status === 200 && at >= from)
  return until(() => kinds.every(works), 20_000 * world.patience)
}

const restarts = (world: World) =>
  serviceNames.flatMap((service) => world.instances(service)).map((name) => ({ name, count: world.fleet.processes.get(name)!.restarts() }))
