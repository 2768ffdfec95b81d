import { connect, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { type AnswerHead, BadAnswer, ChunkReader, readAnswerHead } from './answer.ts'

/** The caller waiting for the answer to one request. */
export type Answered = {
  /** The service has begun to work on it: from here on it must not be sent to another. */
  onBegun(): void
  /** Its instance does not answer any more, whatever is asked. */
  onHung(): void
  onHead(head: AnswerHead): void
  /** The bytes are the reader's until the call returns, no longer. False asks for a pause. */
  onData(part: Buffer, last: boolean): boolean
  onEnd(): void
  onError(error: Error, sent: boolean): void
}
/** A body comes whole with the head, or streams behind it, in chunks where its length is not known. */
export type Outgoing = { method: string; head: string; body: Buffer | null; stream: Readable | null; chunked: boolean }
export type Where = { path: string } | { host: string; port: number }

export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
  readonly timedOut: boolean
  constructor(message: string, options: { timedOut?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.timedOut = options.timedOut ?? false
  }
}

const CONNECT_WITHIN_MS = 2_000
const SILENT_FOR_MS = 300_000
const MAX_HEAD_BYTES = 64 * 1024
const ONE_WRITE_BYTES = 16 * 1024
const DEFAULT_IDLE_MS = 4_000
const PROCESSING = 102
const nothing = () => {}

// Every connection reads into the same memory: what is read is used up, or copied, before the next read.
const shared = Buffer.allocUnsafeSlow(64 * 1024)

/** One connection to a service, with one request on it at a time. */
export class Connection {
  reusableUntil = 0
  #socket: Socket
  #connected = false
  #waiting: Outgoing | null = null
  #answered: Answered | null = null
  #method = ''
  #sent = false
  #written = true
  #unpump: () => void = nothing
  #head: AnswerHead | null = null
  #partial: Buffer | null = null
  #left = 0
  #chunks: ChunkReader | null = null
  #paused = false
  #quietMs = 0
  #lost: unknown = null
  readonly #onFree: (connection: Connection) => void
  readonly #onClosed: (connection: Connection) => void
  readonly #connecting: NodeJS.Timeout
  readonly #timeoutMs: number

  constructor(where: Where, options: { timeoutMs: number; onFree(connection: Connection): void; onClosed(connection: Connection): void }) {
    this.#timeoutMs = options.timeoutMs
    this.#onFree = options.onFree
    this.#onClosed = options.onClosed
    this.#socket = connect({
      ...where,
      noDelay: true,
      onread: { buffer: shared, callback: (bytes: number) => this.#onRead(bytes) },
    } as Parameters<typeof connect>[0] & object)
    this.#connecting = setTimeout(() => this.#socket.destroy(new Error('connecting took too long')), CONNECT_WITHIN_MS)
    this.#socket.on('connect', () => this.#onConnect())
    this.#socket.on('error', (error) => (this.#lost = error))
    this.#socket.on('close', () => this.#onClose())
  }

  get reused(): boolean {
    return this.reusableUntil !== 0
  }

  get usable(): boolean {
    return !this.#socket.destroyed && this.#socket.writable && Date.now() < this.reusableUntil
  }

  send(outgoing: Outgoing, answered: Answered) {
    this.#answered = answered
    this.#method = outgoing.method
    this.#sent = false
    this.#head = null
    this.#chunks = null
    this.#quietMs = 0
    if (this.#connected) this.#write(outgoing)
    else this.#waiting = outgoing
  }

  /** Reading again after a pause; what had already been read has been handed on. */
  resume() {
    if (!this.#paused) return
    this.#paused = false
    this.#socket.resume()
  }

  /** Called again and again by who holds the connections: a timer that each byte winds up anew would cost more than the byte. */
  look(sinceMs: number) {
    // A reader that takes its time is not the service's silence.
    this.#quietMs = this.#paused ? 0 : this.#quietMs + sinceMs
    if (!this.#answered) return void (this.reused && !this.usable && this.#socket.destroy())
    if (!this.#head && this.#quietMs >= this.#timeoutMs)
      this.#fail(new ConnectionLost('the service did not answer in time', { timedOut: true }))
    else if (this.#quietMs >= SILENT_FOR_MS) this.#fail(new ConnectionLost('the service fell silent', { timedOut: true }))
  }

  tellHung() {
    this.#answered?.onHung()
  }

  /** Nobody waits any more: the service sees its caller go. */
  abort() {
    this.#answered = null
    this.#unpump()
    this.#socket.destroy()
  }

  close() {
    this.#socket.destroy()
  }

  #onConnect() {
    clearTimeout(this.#connecting)
    this.#connected = true
    if (!this.#waiting) return
    const outgoing = this.#waiting
    this.#waiting = null
    this.#write(outgoing)
  }

  #write({ head, body, stream, chunked }: Outgoing) {
    this.#sent = true
    this.#written = stream === null
    // Latin-1 is bytes as they are, and as one string head and body leave in one write.
    if (!body) this.#socket.write(head, 'latin1')
    else if (body.length <= ONE_WRITE_BYTES) this.#socket.write(head + body.toString('latin1'), 'latin1')
    else {
      this.#socket.write(head, 'latin1')
      this.#socket.write(body)
    }
    if (stream) this.#pump(stream, chunked)
  }

  #pump(stream: Readable, chunked: boolean) {
    const socket = this.#socket
    const onData = (part: Buffer) => {
      this.#quietMs = 0
      if (chunked) socket.write(`${part.length.toString(16)}\r\n`, 'latin1')
      const room = socket.write(part)
      if (chunked ? socket.write('\r\n', 'latin1') : room) return
      stream.pause()
    }
    const onEnd = () => {
      if (chunked) socket.write('0\r\n\r\n', 'latin1')
      this.#written = true
      this.#unpump()
    }
    // Half a body must not stand as a whole one.
    const onError = (error: Error) => this.#fail(error)
    const onRoom = () => stream.resume()
    stream.on('data', onData).on('end', onEnd).on('error', onError)
    socket.on('drain', onRoom)
    stream.resume()
    // Another connection may have to take the stream over: nothing of it may run past in between.
    this.#unpump = () => {
      this.#unpump = nothing
      stream.pause()
      stream.off('data', onData).off('end', onEnd).off('error', onError)
      socket.off('drain', onRoom)
    }
  }

  #onRead(bytes: number): boolean {
    try {
      this.#take(shared.subarray(0, bytes))
    } catch (error) {
      this.#fail(error as Error)
    }
    return !this.#paused
  }

  #take(piece: Buffer) {
    this.#quietMs = 0
    // Nobody asked: a service that speaks first is not to be believed with the next request.
    if (!this.#answered) return void this.#socket.destroy()
    let rest = piece
    while (!this.#head) {
      const whole = this.#partial ? Buffer.concat([this.#partial, rest]) : rest
      const end = whole.indexOf('\r\n\r\n')
      if (end === -1) {
        if (whole.length > MAX_HEAD_BYTES) throw new BadAnswer('a head without end')
        this.#partial = Buffer.from(whole)
        return
      }
      this.#partial = null
      const head = readAnswerHead(whole.toString('latin1', 0, end), this.#method)
      rest = whole.subarray(end + 4)
      if (head.status === 101) throw new BadAnswer('a switch of protocols that nobody asked for')
      if (head.status === PROCESSING) this.#answered.onBegun()
      if (head.status < 200) continue
      this.#begin(head)
    }
    this.#takeBody(rest)
  }

  #begin(head: AnswerHead) {
    this.#head = head
    this.#left = typeof head.framing === 'number' ? head.framing : 0
    if (head.framing === 'chunks') this.#chunks = new ChunkReader()
    this.#answered!.onHead(head)
  }

  #takeBody(piece: Buffer) {
    const { framing } = this.#head!
    if (framing === 'chunks') {
      const end = this.#chunks!.read(piece, (part) => this.#deliver(part, false))
      if (this.#chunks!.done) this.#end(end < piece.length)
      return
    }
    if (framing === 'close') {
      if (piece.length) this.#deliver(piece, false)
      return
    }
    const part = piece.length > this.#left ? piece.subarray(0, this.#left) : piece
    this.#left -= part.length
    if (part.length) this.#deliver(part, this.#left === 0)
    if (this.#left === 0) this.#end(part.length < piece.length)
  }

  #deliver(part: Buffer, last: boolean) {
    if (this.#answered && !this.#answered.onData(part, last)) this.#paused = true
  }

  #end(surplus: boolean) {
    const answered = this.#answered
    const { keepAlive, keepAliveMs } = this.#head!
    this.#answered = null
    this.#unpump()
    // More than was asked for, an answer before the whole request, or the last one of this connection.
    if (surplus || !keepAlive || !this.#written) this.#socket.destroy()
    else {
      this.reusableUntil = Date.now() + Math.max(0, (keepAliveMs ?? DEFAULT_IDLE_MS + 1000) - 1000)
      this.resume()
      this.#onFree(this)
    }
    answered?.onEnd()
  }

  #fail(error: Error) {
    const answered = this.#answered
    this.#answered = null
    this.#unpump()
    this.#socket.destroy()
    answered?.onError(error, this.#sent)
  }

  #onClose() {
    clearTimeout(this.#connecting)
    this.#onClosed(this)
    this.#unpump()
    const answered = this.#answered
    if (!answered) return
    this.#answered = null
    if (this.#head?.framing === 'close' && !this.#lost) return answered.onEnd()
    answered.onError(new ConnectionLost('the connection closed', { cause: this.#lost }), this.#sent)
  }
}
