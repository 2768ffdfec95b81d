import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, renameSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { serviceNames } from '@operon/contracts/services'
import { aliveProcess } from '@operon/deploy/machine'
import { doubled, readersOf, settle } from './flow.ts'
import { type Call, failed, type Load, missing, startLoad, succeeded } from './load.ts'
import { disagreements } from './money.ts'
import { type Fault, until, type World } from './world.ts'

const STORES = ['redis', 'nats', 'postgres'] as const
type Store = (typeof STORES)[number]
const SPARE_MB = 40
/** Redis and PostgreSQL go on by themselves; NATS is started again by the fleet when it has kept nothing for a while. */
const HEALED_MS: Record<Store, number> = { redis: 8_000, nats: 25_000, postgres: 8_000 }
/** The allowed answers while the disk is full: not now, or no space. */
const CLEAR = [503, 507]

/**
 * R15: the disks under Redis, NATS and PostgreSQL run full under load, one after another. A refused caller is told so, every write that was
 * answered with a 2xx is stored, and when there is room again everything goes on without anybody's help.
 */
export const full: Fault = async (world) => {
  const unable = whyNot(world)
  if (unable) return { skipped: unable, injected: '', work: '', lost: 0, twice: 0, broken: [] }
  const readers = await readersOf(world)
  await onSmallDisks(world)
  const load = startLoad(world)
  await works(world, load)

  const broken: string[] = []
  const healed: number[] = []
  const told: string[] = []
  for (const store of STORES) {
    const from = Date.now()
    const disk = fill(world, store)
    const refused = await until(() => wasRefused(world, store, load, from), 30_000 * world.patience)
    await delay(world.short ? 1_500 : 10_000)
    disk.free()
    const back = await healing(world, load)
    if (refused === null) broken.push(`${store} never refused anything, so too little was shown`)
    if (back === null || back > HEALED_MS[store] * world.patience)
      broken.push(`with room for ${store} again it works ${back === null ? 'never' : `only after ${(back / 1000).toFixed(1)} s`}`)
    healed.push(back ?? 0)
    told.push(`${store} ${statuses(load, from)}`)
    broken.push(...unclear(load, from).map((call) => `with the disk of ${store} full a ${call.what} answered ${call.status}: ${call.said}`))
  }
  await load.stop()
  const { left } = await settle(world, readers)
  const [gone, twice, money] = [await missing(world, load), await doubled(world), await disagreements(world)]
  return {
    injected: `the disks of ${STORES.join(', ')} full in turn`,
    work: `${succeeded(load).length} calls; refused meanwhile: ${told.join(', ')}`,
    lost: left.length + gone.length,
    twice: twice.length,
    recoveredMs: Math.max(...healed),
    broken: [...broken, ...left, ...gone, ...twice, ...money],
  }
}

function whyNot(world: World): string | null {
  if (!world.fleet.postgres || !world.fleet.processes.has('nats') || !world.fleet.processes.has('redis')) return 'the stores are not ours'
  if (process.getuid?.() !== 0) return 'only root can mount a small disk'
  const [probe, tmpfs] = [join(world.fleet.env.DATA_DIR!, 'probe'), ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs']]
  mkdirSync(probe)
  const mounted = spawnSync('mount', [...tmpfs, probe]).status === 0
  if (mounted) execFileSync('umount', [probe])
  rmSync(probe, { recursive: true })
  return mounted ? null : 'no disk can be mounted here'
}

const folder = (world: World, store: Store) => join(world.fleet.env.DATA_DIR!, store)

/** All three are stopped, moved to a disk with little room left, and started again. */
async function onSmallDisks(world: World) {
  const { postgres, processes } = world.fleet
  const brokers = [processes.get('nats')!, processes.get('redis')!]
  for (const each of [postgres!, ...brokers]) each.hold()
  const server = postgres!.pid()
  process.kill(server, 'SIGINT')
  for (const broker of brokers) process.kill(broker.pid()!, 'SIGTERM')
  await until(() => !aliveProcess(server) && brokers.every((broker) => broker.pid() === null), 20_000)
  for (const store of STORES) {
    const path = folder(world, store)
    moveToDisk(path)
    world.afterwards.push(() => spawnSync('umount', ['-l', path]))
  }
  for (const each of [postgres!, ...brokers]) each.release()
}

function moveToDisk(path: string) {
  const aside = `${path}.aside`
  const { uid, gid } = statSync(path)
  const usedMb = Number(execFileSync('du', ['-sm', path], { encoding: 'utf8' }).split('\t')[0])
  renameSync(path, aside)
  mkdirSync(path)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${usedMb + SPARE_MB}m,mode=755,uid=${uid},gid=${gid}`, 'tmpfs', path])
  execFileSync('cp', ['-a', `${aside}/.`, path])
  rmSync(aside, { recursive: true })
}

/** Takes all the room there is, and whatever becomes free, until it is given back. */
function fill(world: World, store: Store) {
  const path = join(folder(world, store), 'ballast')
  const file = openSync(path, 'w')
  const [large, small] = [Buffer.alloc(1 << 20), Buffer.alloc(4096)]
  const take = () => {
    for (const block of [large, small]) {
      try {
        for (;;) writeSync(file, block)
      } catch {}
    }
  }
  take()
  const more = setInterval(take, 50)
  return {
    free() {
      clearInterval(more)
      closeSync(file)
      rmSync(path)
      if (statfsSync(folder(world, store)).bavail === 0) throw new Error(`there is still no room for ${store}`)
    },
  }
}

/** PostgreSQL refuses callers, and so does who cannot count guesses in Redis; what a broker refuses stays in the outbox. */
async function wasRefused(world: World, store: Store, load: Load, from: number): Promise<boolean> {
  if (store !== 'nats' && failed(load).some(({ at }) => at >= from)) return true
  if (store === 'postgres') return false
  const kind = store === 'nats' ? 'event' : 'job'
  const tried = `select count(*)::int as n from outbox where kind = $1 and sent_at is null and attempts > 1 and created_at > $2`
  const counts = await Promise.all(
    serviceNames.map(async (name) => (await world.query(name, tried, [kind, new Date(from)]))[0].n as number),
  )
  return counts.some((n) => n > 0)
}

/** `503 x 12`, or nobody. */
function statuses(load: Load, from: number): string {
  const counts = Map.groupBy(
    failed(load).filter(({ at }) => at >= from),
    ({ status }) => status,
  )
  return [...counts].map(([status, calls]) => `${status} x ${calls.length}`).join(' and ') || 'nobody'
}

const unclear = (load: Load, from: number): Call[] => failed(load).filter(({ at, status }) => at >= from && !CLEAR.includes(status))

const works = (world: World, load: Load, from = 0) =>
  until(
    () =>
      ['sign-up', 'chat', 'read'].every((kind) => load.calls.some(({ what, status, at }) => what === kind && status === 200 && at >= from)),
    40_000 * world.patience,
  )

/** Until calls of each kind succeed and nothing waits for a broker any more. */
async function healing(world: World, load: Load): Promise<number | null> {
  const began = Date.now()
  if ((await works(world, load, began)) === null) return null
  const stuck = 'select count(*)::int as n from outbox where sent_at is null and attempts > 0 and created_at < $1'
  const sent = async () =>
    (await Promise.all(serviceNames.map(async (name) => (await world.query(name, stuck, [new Date(began)]))[0].n as number))).every(
      (n) => n === 0,
    )
  const ms = await until(sent, 40_000 * world.patience)
  return ms === null ? null : Date.now() - began
}
