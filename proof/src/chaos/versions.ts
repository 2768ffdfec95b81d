import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ServiceName, serviceNames } from '@operon/contracts/services'
import { newServices } from '@operon/deploy/fleet-control'
import { ownRoot } from '@operon/deploy/fleet-members'
import { git, unpackTree } from '../tree.ts'
import { doubled, readersOf, settle } from './flow.ts'
import { failed, missing, startLoad, succeeded } from './load.ts'
import { disagreements } from './money.ts'
import { renewed } from './rolling.ts'
import { type Fault, until, type World } from './world.ts'

export type Older = { commit: string; subject: string; root: string } | { why: string }

/**
 * R24: the fleet was begun with the version before this one. Of each pair one is replaced, migrates and serves beside the old one, then the
 * other: nobody is refused, and what one version wrote the other understands.
 */
export const upgraded: Fault = async (world) => {
  const { older } = world
  if ('why' in older) return { skipped: older.why, injected: '', work: '', lost: 0, twice: 0, broken: [] }
  const readers = await readersOf(world)
  const [here, brought] = [serviceNames.filter((name) => world.instances(name).length), newServices(ownRoot, servicesIn(older.root))]
  const before = await migrations(world, here)
  // It plays providers, which are not upgraded with us: theirs is what the newer version speaks from the start.
  const late: string[] = []
  if (!(await renewed(world, 'sandbox-1'))) late.push('sandbox-1')
  const load = startLoad(world)
  await until(() => succeeded(load).length > 20, 20_000 * world.patience)

  for (const service of brought) await world.fleet.join(service, 2, ownRoot)
  const services = here.filter((name) => name !== 'sandbox').map((service) => world.instances(service))
  for (const turn of [services.map(([first]) => first!), services.flatMap(([, ...others]) => others)]) {
    const ready = await Promise.all(turn.map((name) => renewed(world, name)))
    late.push(...turn.filter((_, i) => !ready[i]))
    await delay(world.short ? 2_000 : 20_000)
  }
  await load.stop()
  const added = (await migrations(world, here)) - before
  // There is one: it would be missed.
  if (!(await renewed(world, 'gateway-1'))) late.push('gateway-1')

  const known = new Set((await readersOf(world)).map(({ handler }) => handler))
  const lasting = readers.filter(({ handler }) => known.has(handler))
  const { left } = await settle(world, lasting)
  const [gone, twice, money, refused] = [await missing(world, load), await doubled(world), await disagreements(world), failed(load)]
  return {
    injected: `${older.commit.slice(0, 7)} replaced under load, both versions at once, ${[`${added} migrations`, ...brought.map((name) => `${name} is new`)].join(', ')}`,
    work: `${succeeded(load).length} calls, ${refused.length} failed`,
    lost: left.length + gone.length,
    twice: twice.length,
    broken: [
      ...late.map((name) => `${name} was not ready again in time`),
      ...refused.map(({ what, status, ms, said }) => `a ${what} answered ${status} after ${ms} ms: ${said}`),
      ...left,
      ...gone,
      ...twice,
      ...money,
    ],
  }
}

/** The services that a tree has. */
export const servicesIn = (root: string) => newServices(root, [])

async function migrations(world: World, services: ServiceName[]): Promise<number> {
  const counts = await Promise.all(services.map((name) => world.query(name, 'select count(*)::int as n from kysely_migration')))
  return counts.reduce((sum, [row]) => sum + row.n, 0)
}

/** The tree of an older commit, ready to run: `--old <commit>`, else the last release, else where this work parted from the main branch. */
export function unpackOlder(asked: string | undefined, into: string): Older {
  const commit = asked ? git('rev-parse', '--verify', `${asked}^{commit}`) : versionBefore()
  if (!commit) return { why: asked ? `there is no commit ${asked} here` : 'there is no version before this one here' }
  const tree = join(into, 'older')
  if (!unpackTree(commit, tree)) return { why: `${commit} cannot be unpacked` }
  return { commit, subject: git('log', '-1', '--format=%s', commit)!, root: tree }
}

function versionBefore(): string | null {
  const head = git('rev-parse', 'HEAD')
  const tag = git('describe', '--tags', '--abbrev=0', 'HEAD^')
  if (tag) return git('rev-parse', `${tag}^{commit}`)
  // Where tags were not copied: a release is the commit that wrote its heading into the notes.
  const release = git('log', '-1', '--format=%H', '-G^## [0-9]', 'HEAD^', '--', 'CHANGELOG.md')
  if (release) return release
  const base = git('merge-base', 'HEAD', 'origin/HEAD') ?? git('merge-base', 'HEAD', 'origin/main')
  if (base && base !== head) return base
  // Work that is not committed yet is the newer version by itself.
  return git('status', '--porcelain', '--untracked-files=no') ? head : git('rev-parse', '--verify', 'HEAD^')
}
