/** A resource that the services of a process share: opened by the first, closed by the last. */
type Held<T> = { value: Promise<T>; users: number }

export function hold<T>(
  shared: Map<string, unknown>,
  key: string,
  open: () => T | Promise<T>,
  close: (value: T) => unknown,
): { value: Promise<T>; release(): Promise<void> } {
  let held = shared.get(key) as Held<T> | undefined
  if (!held) {
    held = { value: Promise.resolve().then(open), users: 0 }
    shared.set(key, held)
  }
  const mine = held
  mine.users++
  let released = false
  return {
    value: mine.value,
    async release() {
      if (released) return
      released = true
      mine.users--
      if (mine.users > 0) return
      if (shared.get(key) === mine) shared.delete(key)
      const value = await mine.value.catch(() => undefined)
      if (value !== undefined) await close(value)
    },
  }
}
