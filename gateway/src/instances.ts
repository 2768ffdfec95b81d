import type { Logger } from '@operon/kit/telemetry'
import { addressesOf, changes, type Lookup } from './discovery.ts'
import { Instance, type Limits, TICK_MS } from './instance.ts'

const LOOK_EVERY_MS = 1_000
const LOOK_AGAIN_AFTER_MS = 100
/** A name that has stood for nobody for so long is not waited for. */
const NOBODY_FOR_MS = 10_000

export type Finding = { lookup?: Lookup | undefined; log?: Logger | undefined; name?: string }

/** One clock for all of them, so that a gateway at rest wakes once for all services. */
const ticking = new Set<Instances>()
let clock: NodeJS.Timeout | null = null
function tickWith(instances: Instances) {
  ticking.add(instances)
  if (clock) return
  clock = setInterval(() => {
    for (const each of ticking) each.tick()
  }, TICK_MS)
  clock.unref()
}

/** The copies of one service: the least busy one that is there is chosen; one that cannot be reached or does not answer is left out. */
export class Instances {
  all: Instance[] = []
  readonly #addresses: string[]
  readonly #found = new Map<string, string[]>()
  readonly #limits: Limits
  readonly #finding: Finding
  readonly #first: Promise<void>
  #turn = 0
  #lookedAt = 0
  #looking: Promise<void> | null = null
  #emptySince = Date.now()
  #closed = false

  constructor(addresses: string[], limits: Limits, finding: Finding = {}) {
    this.#addresses = addresses
    this.#limits = limits
    this.#finding = finding
    for (const address of addresses) if (!changes(address)) this.#found.set(address, [address])
    this.#apply()
    this.#first = this.look()
      .then(() => Promise.all(this.all.map((instance) => instance.ask())))
      .then(() => {})
    tickWith(this)
  }

  /** Null when none may be tried now. `except` have already failed this request. */
  choose(except: Set<Instance> | null): Instance | null {
    let best: Instance | null = null
    let soonest: Instance | null = null
    let silent: Instance | null = null
    let allSilent = true
    const { all } = this
    this.#turn += 1
    for (let i = 0; i < all.length; i++) {
      const instance = all[(i + this.#turn) % all.length]!
      allSilent &&= instance.hung
      if (except?.has(instance)) continue
      if (instance.hung) {
        if (!silent || instance.active < silent.active) silent = instance
        continue
      }
      if (instance.failures > 0) {
        if (instance.probing) continue
        if (Date.now() < instance.retryAt) {
          if (!soonest || instance.retryAt < soonest.retryAt) soonest = instance
          continue
        }
        instance.probing = true
        return instance
      }
      if (!best || instance.active < best.active) best = instance
    }
    // With none left, one that was away may have come back before we meant to look; where all are silent they may just be slow.
    if (best || !soonest) return best ?? (allSilent ? silent : null)
    soonest.probing = true
    return soonest
  }

  /** Whether somebody other than this one would take a call. */
  hasOther(than: Instance): boolean {
    return this.all.some((instance) => instance !== than && !instance.hung && instance.failures === 0)
  }

  /** Whether waiting for one to come back has no prospect. */
  get isAway(): boolean {
    return this.all.length ? this.all.every(({ failures }) => failures > 4) : Date.now() - this.#emptySince > NOBODY_FOR_MS
  }

  /** Each has been asked once, or `withinMs` have passed. */
  async known(withinMs: number): Promise<void> {
    await Promise.race([this.#first, new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref())])
  }

  /** Resolves the names again, but not more often than makes sense. */
  look(): Promise<void> {
    if (this.#looking) return this.#looking
    if (Date.now() - this.#lookedAt < LOOK_AGAIN_AFTER_MS || !this.#addresses.some(changes)) return Promise.resolve()
    this.#lookedAt = Date.now()
    this.#looking = this.#lookUp().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  close() {
    this.#closed = true
    ticking.delete(this)
    for (const instance of this.all) instance.close()
  }

  async #lookUp() {
    // One after another: a name server that hangs holds one thread of this process, not all of them.
    for (const address of this.#addresses) {
      if (!changes(address)) continue
      const found = await addressesOf(address, this.#finding.lookup).catch(() => [])
      // A name server that does not answer has not taken anybody away.
      if (found.length) this.#found.set(address, found)
    }
    if (!this.#closed) this.#apply()
  }

  #apply() {
    const wanted = new Set([...this.#found.values()].flat())
    const kept = this.all.filter(({ address }) => wanted.has(address))
    const gone = this.all.filter(({ address }) => !wanted.has(address))
    const known = new Set(kept.map(({ address }) => address))
    const added = [...wanted].filter((address) => !known.has(address)).map((address) => new Instance(address, this.#limits))
    if (!gone.length && !added.length) return
    this.all = [...kept, ...added]
    for (const instance of gone) instance.retire()
    if (this.all.length === 0) this.#emptySince = Date.now()
    if (gone.length || kept.length)
      this.#finding.log?.info({ upstream: this.#finding.name, instances: this.all.length }, 'the instances of a service have changed')
  }

  tick() {
    if (Date.now() - this.#lookedAt >= LOOK_EVERY_MS) void this.look()
    const { log, name: upstream } = this.#finding
    for (const instance of this.all) {
      const became = instance.tick()
      if (became === 'back') log?.warn({ upstream, address: instance.address }, 'an instance answers again')
      if (became !== 'hung') continue
      log?.warn(
        { upstream, address: instance.address },
        'an instance does not answer: it gets nothing new, and its calls go to others where that is safe',
      )
      instance.tellHung()
    }
  }
}
