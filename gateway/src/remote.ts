import { BEGIN_BY } from '@operon/kit/begin'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { type AnswerHead, BadAnswer } from './answer.ts'
import { hasBody, isSmall, isUploading, readSmall, StreamedBody } from './body.ts'
import { type Call, givenLines } from './call.ts'
import { type Answered, type Connection, ConnectionLost, type Outgoing } from './connection.ts'
import { writeHeadLines } from './head.ts'
import type { Instance } from './instance.ts'
import type { Instances } from './instances.ts'

type Forward = {
  call: Call
  /** The header lines that the service gets. */
  lines: string
  /** The content security policy of an answer that has none of its own. */
  policy: string
  maxBytes: number
  /** Sending it twice is harmless. */
  repeatable: boolean
  draining: () => boolean
  fail(call: Call, error: DomainError): void
}

/** How long a request waits for a service that has just gone away, before it is told so. */
const WAIT_FOR_RETURN_MS = 3_000
const WAIT_STEP_MS = 100
const ONE_WRITE_BYTES = 16 * 1024
/** A request that must not be done twice begins within this time or is refused; clocks of a fleet differ by less than the second one. */
const BEGIN_WITHIN_MS = 2_500
const CLOCKS_DIFFER_MS = 2_500
const LEASES = 2
/** A call that a silent instance has begun may still end well, if the instance wakes. */
const WAKES_WITHIN_MS = 10_000

/** Begins, and returns what to call when the client's side has closed. */
export function forwardRemote(forward: Forward, instances: Instances): () => void {
  const { request } = forward.call
  const exchange = new Exchange(forward, instances)
  if (!hasBody(request)) exchange.begin(null)
  else if (isSmall(request)) readSmall(request, (body) => exchange.begin(body))
  else exchange.begin(new StreamedBody(request, forward.maxBytes))
  return () => exchange.onClientClose()
}

/** One request on its way through, from the first attempt to the last byte of the answer. */
class Exchange implements Answered {
  readonly #forward: Forward
  readonly #instances: Instances
  #body: Buffer | StreamedBody | null = null
  #instance: Instance | null = null
  #connection: Connection | null = null
  #probes = false
  #tried: Set<Instance> | null = null
  #waitedMs = 0
  #repeated = false
  #gone = false
  #full = false
  /** By this process's clock: from then on an instance that has not begun never will. Null where it was not told so. */
  #neverFrom: number | null = null
  #begun = false
  #leases = 0

  constructor(forward: Forward, instances: Instances) {
    this.#forward = forward
    this.#instances = instances
  }

  begin(body: Buffer | StreamedBody | null) {
    this.#body = body
    this.#attempt()
  }

  #attempt() {
    const instance = this.#instances.choose(this.#tried)
    if (!instance) return this.#waitForOne()
    const connection = instance.take()
    if (!connection) return this.#fail(new DomainError('busy', { headers: { 'retry-after': '1' } }))
    this.#instance = instance
    this.#connection = connection
    this.#probes = instance.probing
    this.#neverFrom = null
    this.#begun = false
    if (this.#forward.repeatable || !connection.reused) return connection.send(this.#outgoing(), this)
    // A request that must not be sent twice waits one turn, so that a connection which the service has just closed is seen to be closed.
    setImmediate(() => {
      if (this.#gone) return
      if (connection.usable) return connection.send(this.#outgoing(), this)
      this.#release()
      this.#attempt()
    })
  }

  #outgoing(): Outgoing {
    const { call, lines } = this.#forward
    const { request } = call
    const method = request.method!
    const stream = this.#body instanceof StreamedBody ? this.#body : null
    const body = this.#body instanceof StreamedBody ? null : this.#body
    const chunked = stream !== null && request.headers['content-length'] === undefined
    // The length is said by its header where there is one; a method that may have a body says that it has none.
    const framing = chunked
      ? 'transfer-encoding: chunked\r\n'
      : this.#body === null && request.headers['content-length'] === undefined && method !== 'GET' && method !== 'HEAD'
        ? 'content-length: 0\r\n'
        : ''
    const lease = this.#lease()
    return {
      method,
      head: `${method} ${request.url} HTTP/1.1\r\n${lines}${lease}${framing}connection: keep-alive\r\n\r\n`,
      body,
      stream,
      chunked,
    }
  }

  /** Unread in the buffer of an instance that hangs or dies, it may then be given to another. */
  #lease(): string {
    if (this.#forward.repeatable || !this.#instance!.begins || this.#leases >= LEASES) return ''
    this.#leases += 1
    this.#neverFrom = Date.now() + BEGIN_WITHIN_MS + CLOCKS_DIFFER_MS
    return `${BEGIN_BY}: ${now() + BEGIN_WITHIN_MS}\r\n`
  }

  // Every instance is away: one that restarts is back in a moment, and one that stays away is told at once.
  #waitForOne() {
    if (this.#waitedMs >= WAIT_FOR_RETURN_MS || this.#instances.isAway) {
      return this.#fail(new DomainError('unavailable', { headers: { 'retry-after': '2' } }))
    }
    this.#waitedMs += WAIT_STEP_MS
    this.#tried = null
    void this.#instances.look()
    setTimeout(() => this.#gone || this.#attempt(), WAIT_STEP_MS)
  }

  onBegun() {
    this.#begun = true
    this.#instance!.heard = true
  }

  onHead(head: AnswerHead) {
    const { call, policy, draining } = this.#forward
    this.#begun = true
    this.#instance!.heard = true
    if (this.#instance!.failures) this.#instance!.succeeded()
    const lines = givenLines(call)
    // An answer before the end of an upload: what is still coming must not be read as the next request.
    const last = draining() || isUploading(call.request)
    writeHeadLines(call.response, head, head.ownPolicy ? lines : `${lines}content-security-policy: ${policy}\r\n`, last)
    if (typeof head.framing !== 'number') call.response.flushHeaders()
  }

  onData(part: Buffer, last: boolean): boolean {
    const { response } = this.#forward.call
    // Latin-1 is bytes as they are, and as a string the body leaves with its head in one write.
    if (last && part.length <= ONE_WRITE_BYTES) {
      response.end(part.toString('latin1'), 'latin1')
      return true
    }
    if (response.write(Buffer.from(part))) return true
    if (!this.#full) response.once('drain', () => this.#onRoom())
    this.#full = true
    return false
  }

  #onRoom() {
    this.#full = false
    this.#connection?.resume()
  }

  onEnd() {
    const { request, response } = this.#forward.call
    this.#release()
    this.#dropBody()
    if (!response.writableEnded) response.end()
    if (isUploading(request)) request.resume()
  }

  onHung() {
    const { call, repeatable } = this.#forward
    const [instance, connection] = [this.#instance!, this.#connection]
    if (call.response.headersSent || !this.#instances.hasOther(instance)) return
    const elsewhere = repeatable && !this.#repeated && !this.#isBodyRead()
    const inMs = elsewhere ? 0 : this.#canNeverBegin() ? this.#neverFrom! - Date.now() : WAKES_WITHIN_MS
    setTimeout(
      () => {
        if (this.#gone || this.#connection !== connection || call.response.headersSent || !instance.hung) return
        connection!.abort()
        this.#release()
        if (elsewhere) this.#repeated = true
        if (elsewhere || this.#canNeverBegin()) return this.#except(instance)
        this.#fail(new DomainError('unavailable', { status: 504, cause: new Error('the instance that has it does not answer') }))
      },
      Math.max(0, inMs),
    )
  }

  #canNeverBegin = () => this.#neverFrom !== null && !this.#begun && !this.#isBodyRead()
  #isBodyRead = () => this.#body instanceof StreamedBody && this.#body.readableDidRead

  #except(instance: Instance) {
    this.#tried ??= new Set()
    this.#tried.add(instance)
    this.#attempt()
  }

  onError(error: Error, sent: boolean) {
    const { call, repeatable } = this.#forward
    const instance = this.#instance!
    this.#release()
    if (this.#gone) return
    // A clean end would pass a cut answer off as a whole one.
    if (call.response.headersSent) return void call.response.destroy()
    if (error instanceof DomainError) return this.#fail(error)
    if (error instanceof ConnectionLost && error.timedOut) return this.#fail(new DomainError('unavailable', { status: 504, cause: error }))
    if (!sent) instance.failed()
    const broken = error instanceof BadAnswer
    // It was never begun with, and after this time it cannot be: then another may have it.
    if (sent && !repeatable && !broken && this.#canNeverBegin()) {
      setTimeout(() => this.#gone || this.#except(instance), Math.max(0, this.#neverFrom! - Date.now()))
      return
    }
    const again = !this.#isBodyRead() && !broken && (!sent || (repeatable && !this.#repeated))
    if (!again) return this.#fail(new DomainError('unavailable', { status: 502, cause: error }))
    if (sent) this.#repeated = true
    this.#except(instance)
  }

  onClientClose() {
    if (this.#forward.call.response.writableFinished) return
    this.#gone = true
    this.#connection?.abort()
    if (this.#connection) this.#release()
    this.#dropBody()
  }

  /** Nobody reads it any more. */
  #dropBody() {
    if (this.#body instanceof StreamedBody) this.#body.destroy()
  }

  #fail(error: DomainError) {
    this.#dropBody()
    this.#forward.fail(this.#forward.call, error)
  }

  #release() {
    if (this.#connection) this.#instance!.done(this.#probes)
    this.#connection = null
  }
}
