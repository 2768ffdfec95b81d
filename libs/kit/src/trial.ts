import { AsyncLocalStorage } from 'node:async_hooks'

// While an action is only tried, its transaction is all that it may touch: that is rolled back, and nothing else would be.

const trials = new AsyncLocalStorage<{ running: boolean }>()

/** Thrown where a trial would reach outside; the action cannot be tried then. */
export class ReachedOutside extends Error {}

export async function asTrial<T>(run: () => Promise<T>): Promise<T> {
  // Work that was begun in it and lives on, a timer for example, is free again afterwards.
  const trial = { running: true }
  try {
    return await trials.run(trial, run)
  } finally {
    trial.running = false
  }
}

/** Called before each step out of the transaction: another connection, another service, an address, a file, what instances share. */
export function stayInside(step: string) {
  if (trials.getStore()?.running) throw new ReachedOutside(`a trial would reach ${step}`)
}

/** The same object, whose named methods are steps out. */
export function outside<T extends object>(what: T, step: string, methods: (keyof T)[]): T {
  const entries = methods.map((method) => {
    const call = what[method] as (...given: unknown[]) => unknown
    const guarded = (...given: unknown[]) => {
      stayInside(step)
      return call.apply(what, given)
    }
    return [method, guarded]
  })
  return { ...what, ...Object.fromEntries(entries) }
}
