import { Connection, type Where } from './connection.ts'

const BACK_AFTER_MS = 200
const BACK_AFTER_AT_MOST_MS = 8_000
const KEPT_IDLE = 256

type Limits = { connections: number; timeoutMs: number }

/** One running copy of a service: its connections, how busy it is and whether it is believed to be there. */
export class Instance {
  active = 0
  failures = 0
  /** Not before this time, and then by one request alone until that has succeeded. */
  retryAt = 0
  probing = false
  readonly #where: Where
  readonly #limits: Limits
  readonly #open = new Set<Connection>()
  readonly #free: Connection[] = []
  readonly #connection: ConstructorParameters<typeof Connection>[1]
  readonly #looking: NodeJS.Timeout

  constructor(address: string, limits: Limits) {
    this.#where = whereIs(address)
    this.#limits = limits
    this.#connection = {
      timeoutMs: limits.timeoutMs,
      onFree: (connection) => (this.#free.length < KEPT_IDLE ? void this.#free.push(connection) : connection.close()),
      onClosed: (connection) => this.#open.delete(connection),
    }
    const everyMs = Math.min(1_000, limits.timeoutMs / 4)
    this.#looking = setInterval(() => {
      for (const connection of this.#open) connection.look(everyMs)
    }, everyMs).unref()
  }

  /** A connection of the caller's own for one request, the last used first; null when there are as many as allowed. */
  take(): Connection | null {
    for (let connection = this.#free.pop(); connection; connection = this.#free.pop()) {
      if (connection.usable) return this.#taken(connection)
      connection.close()
    }
    if (this.#open.size >= this.#limits.connections) {
      this.probing = false
      return null
    }
    const connection = new Connection(this.#where, this.#connection)
    this.#open.add(connection)
    return this.#taken(connection)
  }

  /** A call has ended; `probed` when it was the one that tried whether this instance is back. */
  done(probed: boolean) {
    this.active -= 1
    if (probed) this.probing = false
  }

  failed() {
    // The many requests that were under way when it went are one failure.
    if (Date.now() < this.retryAt) return
    this.failures += 1
    this.retryAt = Date.now() + Math.min(BACK_AFTER_AT_MOST_MS, BACK_AFTER_MS * 2 ** Math.min(10, this.failures - 1))
  }

  succeeded() {
    this.failures = 0
  }

  close() {
    clearInterval(this.#looking)
    for (const connection of this.#open) connection.close()
  }

  #taken(connection: Connection): Connection {
    this.active += 1
    return connection
  }
}

/** `unix:/path`, `http://host:port` or `host:port`. */
function whereIs(address: string): Where {
  if (address.startsWith('unix:')) return { path: address.slice(5) }
  const { hostname, port } = new URL(address.includes('://') ? address : `http://${address}`)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) }
}

/** The copies of one service: the least busy one that is there is chosen; one that cannot be reached is left out for a while. */
export class Instances {
  readonly all: Instance[]
  #turn = 0

  constructor(addresses: string[], limits: Limits) {
    this.all = addresses.map((address) => new Instance(address, limits))
  }

  /** Null when none may be tried now. `except` have already failed this request. */
  choose(except: Set<Instance> | null): Instance | null {
    let best: Instance | null = null
    let soonest: Instance | null = null
    this.#turn += 1
    for (let i = 0; i < this.all.length; i++) {
      const instance = this.all[(i + this.#turn) % this.all.length]!
      if (except?.has(instance)) continue
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
    // With none left, one that was away may have come back before we meant to look.
    if (best || !soonest) return best
    soonest.probing = true
    return soonest
  }

  close() {
    for (const instance of this.all) instance.close()
  }
}
