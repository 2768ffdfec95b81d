import { Client } from 'undici'
import { Connection, type Where } from './connection.ts'
import { urlOf } from './discovery.ts'

/** A process's own report: whether it can work, which parts cannot, and which third parties the sandbox plays. */
export type Said = { ok: boolean; failing: string[]; sandboxed?: string[]; version?: string; begins?: boolean }

export type Limits = { connections: number; timeoutMs: number }

export const TICK_MS = 500
const BACK_AFTER_MS = 200
const BACK_AFTER_AT_MOST_MS = 8_000
const KEPT_IDLE = 256
const ASK_AFTER_MS = 1_000
const ASK_EVERY_MS = 5_000
/** One that is well and has nothing in hand: a call that comes asks at once. */
const ASK_AT_REST_MS = 10_000
/** Silent for so long, with a question open for as long as that leaves: whatever it was given is looked after elsewhere. */
const HUNG_AFTER_MS = 3_000
const UNANSWERED_MS = HUNG_AFTER_MS - ASK_AFTER_MS
const ANSWER_WITHIN_MS = 10_000

/** One running copy of a service: its connections, how busy it is and whether it is believed to be there. */
export class Instance {
  active = 0
  failures = 0
  /** Not before this time, and then by one request alone until that has succeeded. */
  retryAt = 0
  probing = false
  /** It takes connections and answers nothing: stopped, swapped out, or its machine is gone. */
  hung = false
  /** Something came from it since the last tick. */
  heard = true
  /** The last state it reported; null before the first. */
  said: Said | null = null
  readonly address: string
  readonly #where: Where
  readonly #limits: Limits
  readonly #open = new Set<Connection>()
  readonly #free: Connection[] = []
  readonly #connection: ConstructorParameters<typeof Connection>[1]
  #looking: NodeJS.Timeout | undefined
  readonly #client: Client
  #asking = false
  #quietMs = 0
  #sinceAskedMs = Number.POSITIVE_INFINITY
  #retired = false

  constructor(address: string, limits: Limits) {
    this.address = address
    this.#where = whereIs(address)
    this.#limits = limits
    const unix = address.startsWith('unix:')
    this.#client = new Client(unix ? 'http://localhost' : urlOf(address).origin, {
      ...(unix && { socketPath: address.slice(5) }),
      connectTimeout: 2_000,
      headersTimeout: ANSWER_WITHIN_MS,
      bodyTimeout: ANSWER_WITHIN_MS,
      maxResponseSize: 64 * 1024,
    })
    this.#connection = {
      timeoutMs: limits.timeoutMs,
      onFree: (connection) => (!this.#retired && this.#free.length < KEPT_IDLE ? void this.#free.push(connection) : connection.close()),
      onClosed: (connection) => this.#open.delete(connection),
    }
  }

  /** Whether it says when it begins with a request, and refuses one that comes too late. */
  get begins(): boolean {
    return this.said?.begins === true && this.failures === 0
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
    this.#look()
    return this.#taken(connection)
  }

  /** A call has ended; `probed` when it was the one that tried whether this instance is back. */
  done(probed: boolean) {
    this.active -= 1
    if (probed) this.probing = false
    if (this.#retired && this.active === 0) this.close()
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

  /** Counted in ticks: while this process stood still itself, nobody was silent. Returns what became of it, where something did. */
  tick(): 'hung' | 'back' | null {
    this.#quietMs = this.heard ? 0 : this.#quietMs + TICK_MS
    this.#sinceAskedMs += TICK_MS
    this.heard = false
    // An instance with nothing in hand may be silent: a question now and then, and at once where a call waits.
    const isWell = this.failures === 0 && !this.hung && this.said?.ok === true
    const seldom = isWell ? ASK_AT_REST_MS : ASK_EVERY_MS
    const due = this.#quietMs >= ASK_AFTER_MS && (this.active > 0 || this.#asking) ? ASK_AFTER_MS : seldom
    if (this.#sinceAskedMs >= due) void this.ask()
    const hung = this.#quietMs >= HUNG_AFTER_MS && this.#asking && this.#sinceAskedMs >= UNANSWERED_MS
    if (hung === this.hung || (this.hung && this.#quietMs > 0)) return null
    this.hung = hung
    return hung ? 'hung' : 'back'
  }

  /** The calls that it holds. */
  tellHung() {
    for (const connection of this.#open) connection.tellHung()
  }

  async ask(): Promise<void> {
    if (this.#asking || this.#retired) return
    this.#asking = true
    this.#sinceAskedMs = 0
    try {
      const { body } = await this.#client.request({ method: 'GET', path: '/readyz' })
      this.said = readSaid(await body.json().catch(() => null))
      this.heard = true
      this.succeeded()
    } catch (error) {
      this.said = null
      // Not reached at all; a silence is counted by the ticks. How long it stays away is counted by the calls that it fails.
      if (isRefusal(error) && this.failures === 0) this.failed()
    } finally {
      this.#asking = false
    }
  }

  /** It is not named any more: what it has in hand is finished, nothing new comes. */
  retire() {
    this.#retired = true
    for (const connection of this.#free.splice(0)) connection.close()
    if (this.active === 0) this.close()
  }

  close() {
    this.#retired = true
    clearInterval(this.#looking)
    for (const connection of this.#open) connection.close()
    this.#client.destroy().catch(() => {})
  }

  /** For as long as there are connections to look at. */
  #look() {
    const everyMs = Math.min(1_000, this.#limits.timeoutMs / 4)
    this.#looking ??= setInterval(() => {
      for (const connection of this.#open) connection.look(everyMs)
      if (this.#open.size > 0) return
      clearInterval(this.#looking)
      this.#looking = undefined
    }, everyMs).unref()
  }

  #taken(connection: Connection): Connection {
    this.active += 1
    return connection
  }
}

/** `unix:/path`, `http://host:port` or `host:port`. */
function whereIs(address: string): Where {
  if (address.startsWith('unix:')) return { path: address.slice(5) }
  const { hostname, port } = urlOf(address)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) }
}

const isRefusal = (error: unknown) =>
  /^(ECONNREFUSED|ENOENT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test((error as { code?: string }).code ?? '')

/** Any answer counts as alive, even one that cannot be parsed. */
function readSaid(body: unknown): Said {
  const { ok, failing, sandboxed, version, begins } = (body ?? {}) as Partial<Said>
  return {
    ok: ok !== false,
    failing: Array.isArray(failing) ? failing.map(String).slice(0, 20) : [],
    ...(Array.isArray(sandboxed) && { sandboxed }),
    ...(typeof version === 'string' && { version }),
    begins: begins === true,
  }
}
