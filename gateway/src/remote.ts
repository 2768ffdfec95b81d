import type { IncomingMessage, ServerResponse } from 'node:http'
import { DomainError } from '@operon/kit/errors'
import type { Client, Dispatcher } from 'undici'
import { hasBody, isSmall, readSmall, StreamedBody } from './body.ts'
import { type RawHeaders, returnedHeaders } from './headers.ts'
import type { Instance, Instances } from './instances.ts'

export type Forward = {
  request: IncomingMessage
  response: ServerResponse
  /** What the service gets, and what the client gets besides the service's own headers. */
  headers: RawHeaders
  given: RawHeaders
  policy: string
  maxBytes: number
  /** Sending it twice is harmless. */
  repeatable: boolean
  draining: () => boolean
  fail(error: DomainError): void
}

/** How long a request waits for a service that has just gone away, before it is told so. */
const WAIT_FOR_RETURN_MS = 3_000
const WAIT_STEP_MS = 100
const ONE_WRITE_BYTES = 16 * 1024

export function forwardRemote(forward: Forward, instances: Instances) {
  const { request } = forward
  const exchange = new Exchange(forward, instances)
  if (!hasBody(request)) return exchange.begin(null)
  if (isSmall(request)) return readSmall(request, (body) => exchange.begin(body))
  exchange.begin(new StreamedBody(request, forward.maxBytes))
}

type Controller = Dispatcher.DispatchController

/** One request on its way through: undici's handler, from the first attempt to the last byte of the answer. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #forward: Forward
  readonly #instances: Instances
  #body: Buffer | StreamedBody | null = null
  #instance: Instance | null = null
  #client: Client | null = null
  #controller: Controller | null = null
  #tried: Set<Instance> | null = null
  #waitedMs = 0
  #repeated = false
  #gone = false
  #expected = -1
  #last: Buffer | null = null

  constructor(forward: Forward, instances: Instances) {
    this.#forward = forward
    this.#instances = instances
  }

  begin(body: Buffer | StreamedBody | null) {
    this.#body = body
    this.#forward.response.once('close', () => this.#onClientClose())
    this.#attempt()
  }

  #attempt() {
    const { request, headers, fail } = this.#forward
    const instance = this.#instances.choose(this.#tried)
    if (!instance) return this.#waitForOne()
    const client = instance.take()
    if (!client) return fail(new DomainError('busy', { headers: { 'retry-after': '1' } }))
    this.#instance = instance
    this.#client = client
    this.#controller = null
    // undici ends a body that it could not send; nothing of it has been read yet.
    if (this.#body instanceof StreamedBody && this.#body.destroyed) this.#body = new StreamedBody(request, this.#forward.maxBytes)
    client.dispatch({ method: request.method as Dispatcher.HttpMethod, path: request.url!, headers, body: this.#body }, this)
  }

  // Every instance is away: one that restarts is back in a moment, and one that stays away is told at once.
  #waitForOne() {
    if (this.#waitedMs >= WAIT_FOR_RETURN_MS || this.#instances.all.every((instance) => instance.failures > 4)) {
      return this.#forward.fail(new DomainError('unavailable', { headers: { 'retry-after': '2' } }))
    }
    this.#waitedMs += WAIT_STEP_MS
    this.#tried = null
    setTimeout(() => this.#gone || this.#attempt(), WAIT_STEP_MS)
  }

  onRequestStart(controller: Controller) {
    this.#controller = controller
    if (this.#gone) controller.abort(new Error('the client went away'))
  }

  onResponseStart(_controller: Controller, status: number, answer: Record<string, string | string[]>) {
    if (status < 200) return
    const { request, response, given, policy, draining } = this.#forward
    if (this.#instance!.failures) this.#instance!.succeeded()
    const { headers, ownPolicy } = returnedHeaders(answer, given)
    if (!ownPolicy) headers.push('content-security-policy', policy)
    // An answer before the end of an upload: what is still coming must not be read as the next request.
    if (draining() || !request.complete) headers.push('connection', 'close')
    response.writeHead(status, headers)
    const length = answer['content-length']
    if (typeof length === 'string') this.#expected = Number(length)
    else if (request.method !== 'HEAD') response.flushHeaders()
  }

  onResponseData(controller: Controller, chunk: Buffer) {
    const { response } = this.#forward
    if (chunk.length === this.#expected) {
      this.#last = chunk
      return
    }
    if (response.write(chunk)) return
    controller.pause()
    response.once('drain', () => controller.resume())
  }

  onResponseEnd() {
    const { request, response } = this.#forward
    this.#release()
    // Latin-1 is bytes as they are, and as a string it leaves with the head in one write.
    if (this.#last && this.#last.length <= ONE_WRITE_BYTES) response.end(this.#last.latin1Slice(), 'latin1')
    else if (this.#last) response.end(this.#last)
    else response.end()
    if (!request.complete) request.resume()
  }

  onResponseError(_controller: Controller | null, error: Error) {
    const { response, fail, repeatable } = this.#forward
    const started = this.#controller !== null
    const instance = this.#instance!
    this.#release()
    if (this.#gone) return
    // A clean end would pass a cut answer off as a whole one.
    if (response.headersSent) return void response.destroy()
    if (error instanceof DomainError) return fail(error)
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'UND_ERR_HEADERS_TIMEOUT') return fail(new DomainError('unavailable', { status: 504 }))
    if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') return fail(new DomainError('invalid', { cause: error }))
    if (!started) instance.failed()
    const body = this.#body
    const whole = !(body instanceof StreamedBody && body.begun)
    const again = whole && (!started || (repeatable && !this.#repeated))
    if (!again) return fail(new DomainError('unavailable', { status: 502, cause: error }))
    if (started) this.#repeated = true
    this.#tried ??= new Set()
    this.#tried.add(instance)
    if (this.#tried.size === this.#instances.all.length) return this.#waitForOne()
    this.#attempt()
  }

  #onClientClose() {
    if (this.#forward.response.writableFinished) return
    this.#gone = true
    if (this.#controller && this.#client) this.#controller.abort(new Error('the client went away'))
    else if (this.#body instanceof StreamedBody) this.#body.destroy()
  }

  #release() {
    if (this.#client) this.#instance!.give(this.#client)
    this.#client = null
  }
}
