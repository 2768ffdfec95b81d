import { Client } from 'undici'

const BACK_AFTER_MS = 200
const BACK_AFTER_AT_MOST_MS = 8_000
const KEPT_IDLE = 256

/** One running copy of a service: its connections, how busy it is and whether it is believed to be there. */
class Instance {
  readonly address: string
  active = 0
  failures = 0
  /** Not before this time, and then by one request alone until that has succeeded. */
  retryAt = 0
  probing = false
  readonly #free: Client[] = []
  #open = 0
  readonly #limits: { connections: number; timeoutMs: number }

  constructor(address: string, limits: { connections: number; timeoutMs: number }) {
    this.address = address
    this.#limits = limits
  }

  /** A connection of the caller's own for one request, the last used first; null when there are as many as allowed. */
  take(): Client | null {
    const client = this.#free.pop() ?? this.#connect()
    if (client) this.active += 1
    return client
  }

  give(client: Client) {
    this.active -= 1
    this.probing = false
    if (this.#free.length < KEPT_IDLE && !client.destroyed) return void this.#free.push(client)
    this.#open -= 1
    client.close().catch(() => {})
  }

  failed() {
    this.failures += 1
    this.retryAt = Date.now() + Math.min(BACK_AFTER_AT_MOST_MS, BACK_AFTER_MS * 2 ** Math.min(10, this.failures - 1))
  }

  succeeded() {
    this.failures = 0
  }

  close(): Promise<unknown> {
    return Promise.all(this.#free.splice(0).map((client) => client.close()))
  }

  #connect(): Client | null {
    if (this.#open >= this.#limits.connections) return null
    this.#open += 1
    const unix = this.address.startsWith('unix:')
    return new Client(unix ? 'http://localhost' : this.address, {
      ...(unix && { socketPath: this.address.slice(5) }),
      allowH2: false,
      pipelining: 1,
      connectTimeout: 2_000,
      headersTimeout: this.#limits.timeoutMs,
      bodyTimeout: 300_000,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 60_000,
    })
  }
}
export type { Instance }

/** The copies of one service: the least busy one that is there is chosen; one that cannot be reached is left out for a while. */
export class Instances {
  readonly all: Instance[]
  #turn = 0

  constructor(addresses: string[], limits: { connections: number; timeoutMs: number }) {
    this.all = addresses.map((address) => new Instance(address, limits))
  }

  /** Null when none may be tried now. `except` have already failed this request. */
  choose(except: Set<Instance> | null): Instance | null {
    const now = Date.now()
    let best: Instance | null = null
    this.#turn += 1
    for (let i = 0; i < this.all.length; i++) {
      const instance = this.all[(i + this.#turn) % this.all.length]!
      if (except?.has(instance)) continue
      if (instance.failures > 0) {
        if (instance.probing || now < instance.retryAt) continue
        instance.probing = true
        return instance
      }
      if (!best || instance.active < best.active) best = instance
    }
    return best
  }

  close(): Promise<unknown> {
    return Promise.all(this.all.map((instance) => instance.close()))
  }
}
