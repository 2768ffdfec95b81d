import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@operon/deploy/postgres'
import { run } from './measure.ts'

/** At most this much more than a bare call, at the 95th percentile. */
const MOST_MS = 3

/** The cost of a call through a connection beside a bare one to the same address: its turn, its token, the guarded fetch, its line in the log. */
export async function bench({ short }: { short: boolean }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-connections-pg-'))
  chmodSync(dataDir, 0o755)
  const server = await startPostgres({ dataDir, settings: { max_connections: '100' }, log: () => {} })
  try {
    const { ours, theirs } = await run<{ ours: number[]; theirs: number[] }>('connections-process.ts', {
      postgres: server.url,
      calls: short ? 200 : 2000,
    })
    const more = ours.map((each, index) => each - theirs[index]!)
    const told: [string, number[]][] = [
      ['through a connection', ours],
      ['bare undici', theirs],
      ['more, call by call', more],
    ]
    for (const [name, values] of told)
      console.log(`${name.padEnd(22)} p50 ${at(values, 0.5)} ms  p95 ${at(values, 0.95)} ms  p99 ${at(values, 0.99)} ms`)
    const overhead = quantile(ours, 0.95) - quantile(theirs, 0.95)
    console.log(`p95 of ${ours.length} calls: ${overhead.toFixed(2)} ms more than bare (at most ${MOST_MS})`)
    if (overhead > MOST_MS && !short) process.exitCode = 1
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const quantile = (values: number[], share: number) => values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * share)]!
const at = (values: number[], share: number) => quantile(values, share).toFixed(2).padStart(6)
