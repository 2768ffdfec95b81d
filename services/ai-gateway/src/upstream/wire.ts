import type { Dispatcher } from 'undici'

/** So much of an answer waits here unread before the provider is asked to pause. */
const UNREAD = 64 * 1024

/** One answer as undici's parser hands it over, with no stream objects in between. Read by one reader, to its end or until aborted. */
export class Wire implements Dispatcher.DispatchHandler {
  status = 0
  /** The request went out: from now on the provider may be working for it. */
  sent = false
  headers: Record<string, string | string[] | undefined> = {}
  #controller: Dispatcher.DispatchController | null = null
  #unread: Buffer[] = []
  #size = 0
  #over = false
  #error: Error | null = null
  #wake: (() => void) | null = null

  /** Everything has come and was read. */
  get isOver(): boolean {
    return this.#over && this.#unread.length === 0
  }

  /** Resolves once the answer's head is there. */
  async answered(): Promise<void> {
    while (!this.status && !this.#error) await this.#news()
    if (this.#error) throw this.#error
  }

  /** All that has come since; null at the end. Throws when the connection broke, once what had come before is read. */
  async read(): Promise<Buffer | null> {
    while (this.#unread.length === 0) {
      if (this.#error) throw this.#error
      if (this.#over) return null
      await this.#news()
    }
    const bytes = this.#unread.length === 1 ? this.#unread[0]! : Buffer.concat(this.#unread)
    this.#unread = []
    this.#size = 0
    if (this.#controller?.paused) this.#controller.resume()
    return bytes
  }

  abort() {
    if (this.#over || this.#error) return
    this.#error = new Error('aborted')
    this.#controller?.abort(this.#error)
    this.#tell()
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    this.sent = !this.#error
    if (this.#error) controller.abort(this.#error)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Wire['headers']) {
    if (status < 200) return
    this.status = status
    this.headers = headers
    this.#tell()
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer) {
    this.#unread.push(bytes)
    this.#size += bytes.length
    if (this.#size > UNREAD) controller.pause()
    this.#tell()
  }

  onResponseEnd() {
    this.#over = true
    this.#tell()
  }

  onResponseError(_controller: unknown, error: Error) {
    this.#error ??= error
    this.#tell()
  }

  #news(): Promise<void> {
    return new Promise((wake) => {
      this.#wake = wake
    })
  }

  #tell() {
    this.#wake?.()
    this.#wake = null
  }
}
