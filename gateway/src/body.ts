import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { DomainError } from '@operon/kit/errors'

const SMALL_BYTES = 64 * 1024

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0')

/** Whether the client is still sending its body. A request without a body is complete at once. */
export const isUploading = (request: IncomingMessage): boolean => !request.complete && hasBody(request)

/** A body that fits is read whole before a service is bothered: a slow sender holds nothing there, and it can be sent again. */
export function isSmall({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return length !== undefined && Number(length) <= SMALL_BYTES
}

export function readSmall(request: IncomingMessage, then: (body: Buffer) => void) {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => then(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
}

/** A large body or one of unknown length, as it comes: counted, at the pace of whoever reads it. The request itself outlives it. */
export class StreamedBody extends Readable {
  readonly #request: IncomingMessage
  readonly #maxBytes: number
  #bytes = 0

  constructor(request: IncomingMessage, maxBytes: number) {
    super({ highWaterMark: 256 * 1024 })
    this.#request = request
    this.#maxBytes = maxBytes
    // The sender is told of the error too; without a listener here it would end the process.
    this.on('error', () => {})
  }

  override _construct(ready: () => void) {
    this.#request.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose).pause()
    ready()
  }

  override _read() {
    this.#request.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void) {
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose)
    done(error)
  }

  readonly #onData = (chunk: Buffer) => {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) return void this.destroy(new DomainError('too_large'))
    if (!this.push(chunk)) this.#request.pause()
  }
  readonly #onEnd = () => void this.push(null)
  // A sender that went away has not ended its body: what was sent of it must not look whole.
  readonly #onClose = () => {
    if (!this.#request.complete) this.destroy(new Error('the client went away'))
  }
}
