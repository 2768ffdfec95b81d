const AT_ONCE = 5

/** Works through a list a few at a time, and answers in its order. */
export async function fewAtATime<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (let at = 0; at < list.length; at += AT_ONCE) done.push(...(await Promise.all(list.slice(at, at + AT_ONCE).map(work))))
  return done
}
