import { closeSync, existsSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Provider } from './faults.ts'
import { linesOf } from './lines.ts'

export type TruthLine = { n: number; at: string; provider: Provider; kind: string } & Record<string, unknown>
export type Truth = ReturnType<typeof openTruth>

/** A log of all requests to the third parties and their effects, for checkers that compare the books with it. Never rewritten. */
export function openTruth(dir: string) {
  const path = join(dir, 'truth.jsonl')
  let n = existsSync(path) ? count(path) : 0
  const file = openSync(path, 'a')
  let waiting: string[] = []
  let flushing = false
  let closed = false

  function line(provider: Provider, kind: string, facts: Record<string, unknown>) {
    n += 1
    return `${JSON.stringify({ n, at: new Date().toISOString(), provider, kind, ...facts })}\n`
  }

  function flush() {
    flushing = false
    if (waiting.length === 0) return
    const text = waiting.join('')
    waiting = []
    writeSync(file, text)
  }

  return {
    path,
    /** On disk before it returns: money and messages. */
    log(provider: Provider, kind: string, facts: Record<string, unknown>) {
      flush()
      writeSync(file, line(provider, kind, facts))
    },
    /** On disk within this turn of the event loop: the many small completions of a load run. One that was cut off by the closing itself is not told. */
    logSoon(provider: Provider, kind: string, facts: Record<string, unknown>) {
      if (closed) return
      waiting.push(line(provider, kind, facts))
      if (flushing) return
      flushing = true
      setImmediate(flush)
    },
    read({ after = 0, provider, kind, limit = 1000 }: { after?: number; provider?: string; kind?: string; limit?: number }): TruthLine[] {
      flush()
      const found: TruthLine[] = []
      for (const raw of linesOf(path)) {
        const fact = JSON.parse(raw) as TruthLine
        if (fact.n <= after || (provider && fact.provider !== provider) || (kind && fact.kind !== kind)) continue
        found.push(fact)
        if (found.length === limit) break
      }
      return found
    },
    close() {
      flush()
      closed = true
      closeSync(file)
    },
  }
}

function count(path: string) {
  let lines = 0
  for (const _ of linesOf(path)) lines += 1
  return lines
}
