import type { Payload } from '@operon/contracts/contract'
import { pictureProgress, pictureStopped } from '@operon/contracts/media/events'
import type { Runtime } from '@operon/kit/service'

type News = Payload<typeof pictureProgress>
export type Ended = { id: string; state: string }

/** How pictures come along: told to the open pages of their people, and to the calls of this instance that wait for one. */
export class Progress {
  readonly #rt: Runtime<any, any>
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #running = new Map<string, AbortController>()

  constructor(rt: Runtime<any, any>) {
    this.#rt = rt
    rt.onBroadcast(pictureProgress, ({ picture_id, state }) => {
      if (state === 'queued' || state === 'running') return
      for (const wake of this.#waiting.get(picture_id) ?? []) wake()
    })
    rt.onBroadcast(pictureStopped, ({ picture_id }) => this.#running.get(picture_id)?.abort('stopped'))
  }

  /** A page that does not hear it asks again by itself, so a lost one costs nothing. */
  tell(news: News): void {
    this.#rt.broadcast(pictureProgress, news).catch((err) => this.#rt.log.debug({ err }, 'no page could be told of a picture'))
  }

  stop(id: string): void {
    this.#rt.broadcast(pictureStopped, { picture_id: id }).catch((err) => this.#rt.log.debug({ err }, 'no worker could be told to stop'))
  }

  /** While this instance draws it. */
  hold(id: string): { signal: AbortSignal; done(): void } {
    const stopping = new AbortController()
    this.#running.set(id, stopping)
    return { signal: stopping.signal, done: () => void this.#running.delete(id) }
  }

  /** Until its end is told, or so long. */
  ended(id: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(id) ?? new Set()
      this.#waiting.set(id, waiting)
      const wake = () => {
        clearTimeout(timer)
        waiting.delete(wake)
        if (waiting.size === 0) this.#waiting.delete(id)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      waiting.add(wake)
    })
  }
}
