import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@operon/deploy/postgres'
import { type Course, startCourse, type Target } from './ai-targets.ts'
import { cpuSeconds, median, residentMb, start } from './measure.ts'

type Heard = { answers: number; bad: number; firstP50Ms: number; firstP99Ms: number; totalP50Ms: number; totalP99Ms: number }
type Sample = Heard & { seconds: number; cpuUs: number; postgresUs: number }
type Samples = Map<string, Sample[]>
type Streams = Heard & { eventUs: number; idleMb: number; openMb: number }
type Load = { connections: number; seconds: number; warmUpSeconds: number; once?: boolean }
type Booked = { answers: number; tokens: number; rssMb: number }

const CHUNKS = 50
const STREAMS = 1000
const EVERY_MS = 800
const THINK_MS = 20

/**
 * Streamed answers through the AI gateway, everything armed, beside nginx as a bare proxy, Portkey's gateway and the upstream itself: one run,
 * taking turns. As many as go, one at a time, with a provider that thinks before its first word, and a thousand at once.
 */
export async function bench({ short, only }: { short: boolean; only?: string | undefined }) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-ai-'))
  chmodSync(folder, 0o755)
  const children: ChildProcess[] = []
  const postgres = await startPostgres({ dataDir: folder, log: () => {} })
  const most = short ? { rounds: 1, seconds: 1.5 } : { rounds: 4, seconds: 3 }
  const few = short ? { rounds: 1, seconds: 1 } : { rounds: 2, seconds: 2 }
  try {
    const course = await startCourse({ folder, databaseUrl: postgres.url, children })
    const race = (load: Turns) => takeTurns(course, postgres.pid, load)
    await course.pace({ chunks: CHUNKS, everyMs: 0, thinkMs: 0 })
    await warmUp(course, short ? 1 : 3)
    if (only === 'alone') return reportAlone(await race({ connections: 1, rounds: short ? 3 : 6, seconds: 2 }))
    const full = await race({ connections: 32, ...most })
    report(`Answers of ${CHUNKS} events, 32 connections, as many as go`, full)
    const alone = await race({ connections: 1, ...few })
    report('One at a time', alone)
    const booked = await bookedBy(course)

    await course.pace({ chunks: CHUNKS, everyMs: 0, thinkMs: THINK_MS })
    const thinking = await race({ connections: 32, ...few })
    report(`32 connections, a provider that thinks for ${THINK_MS} ms`, thinking)

    await course.pace({ chunks: 8, everyMs: EVERY_MS, thinkMs: 0 })
    const streams = await openMany(course)
    reportStreams(streams)
    conclude({ full, alone, thinking, streams, booked })
  } finally {
    for (const child of children.reverse()) child.kill()
    await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The compiler needs some ten thousand answers before code runs as it does all day: three seconds each, three times. The short form has one. */
async function warmUp({ targets }: Course, times: number) {
  for (let n = 0; n < times; n++) for (const target of targets) await load(target, { connections: 32, seconds: 3, warmUpSeconds: 0 })
}

/** One at a time: the part to look at while changing what happens before a first byte. */
function reportAlone(alone: Samples) {
  report('One at a time', alone)
  console.log(`  x nginx's first byte ${ratioOf(alone)}`)
}

type Turns = { connections: number; rounds: number; seconds: number }

async function takeTurns({ targets }: Course, postgresPid: number, { connections, rounds, seconds }: Turns): Promise<Samples> {
  const samples: Samples = new Map(targets.map(({ name }) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    // Every other round backwards.
    for (const target of round % 2 ? targets : targets.toReversed()) {
      const before = cpuSeconds(postgresPid)
      const { result, cpu } = await load(target, { connections, seconds, warmUpSeconds: 0.3 })
      const us = (spent: number) => (spent / Math.max(1, result.answers)) * 1e6
      const postgresUs = target.name === 'ai-gateway' ? us(cpuSeconds(postgresPid) - before) : 0
      samples.get(target.name)!.push({ ...result, seconds, cpuUs: us(cpu), postgresUs })
    }
  }
  return samples
}

async function load({ port, path, headers, tokens, pid }: Target, options: Load) {
  const { child } = await start('ai-load.ts', { port, path, headers, tokens, ...options })
  const before = cpuSeconds(pid)
  const [result] = (await once(child, 'message')) as [Heard]
  const cpu = cpuSeconds(pid) - before
  await once(child, 'exit')
  return { result, cpu }
}

/** A thousand streams, each event by itself: what an event costs once all are open, and the memory that they take. */
async function openMany({ targets }: Course): Promise<Map<string, Streams>> {
  const heard = new Map<string, Streams>()
  for (const target of targets.filter(({ name }) => name !== 'direct')) {
    const idleMb = residentMb(target.pid)
    const opened = load(target, { connections: STREAMS, seconds: 8, warmUpSeconds: 1.2, once: true })
    const looked = new Promise<number>((resolve) => setTimeout(() => resolve(residentMb(target.pid)), 4_000))
    const [{ result, cpu }, openMb] = await Promise.all([opened, looked])
    // Of the eight events two have come when the counting begins.
    heard.set(target.name, { ...result, eventUs: (cpu / (STREAMS * 6)) * 1e6, idleMb, openMb })
  }
  return heard
}

async function bookedBy({ gateway }: Course): Promise<Booked> {
  gateway.send('booked')
  return ((await once(gateway, 'message')) as [Booked])[0]
}

const of = (samples: Samples, name: string, pick: (sample: Sample) => number) => median((samples.get(name) ?? []).map(pick))
const perCore = (samples: Samples, name: string) => 1e6 / of(samples, name, (s) => s.cpuUs)
const cell = (value: number, width: number, digits = 0) => value.toFixed(digits).padStart(width)

function report(title: string, samples: Samples) {
  console.log(`\n${title}; medians of the rounds`)
  for (const [name, taken] of samples) {
    const at = (pick: (sample: Sample) => number) => of(samples, name, pick)
    const added = (pick: (sample: Sample) => number) => at(pick) - of(samples, 'direct', pick)
    console.log(
      `  ${name.padEnd(11)}${cell(
        at((s) => s.answers / s.seconds),
        6,
      )}/s  cpu ${cell(
        at((s) => s.cpuUs),
        5,
      )} us  first byte p50 ${cell(
        at((s) => s.firstP50Ms),
        6,
        2,
      )} p99 ${cell(
        at((s) => s.firstP99Ms),
        6,
        2,
      )} ms  added p50 ${cell(
        added((s) => s.totalP50Ms),
        6,
        2,
      )} p99 ${cell(
        added((s) => s.totalP99Ms),
        6,
        2,
      )} ms  bad ${taken.reduce((sum, s) => sum + s.bad, 0)}`,
    )
  }
  console.log(
    `  PostgreSQL for the ai-gateway, of its own ${cell(
      of(samples, 'ai-gateway', (s) => s.postgresUs),
      4,
    )} us an answer`,
  )
}

function reportStreams(streams: Map<string, Streams>) {
  console.log(`\n${STREAMS.toLocaleString('en')} streams at once, an event every ${EVERY_MS / 1000} s`)
  for (const [name, s] of streams)
    console.log(
      `  ${name.padEnd(11)} whole ${s.answers}  lost ${STREAMS - s.answers}  first byte p50 ${s.firstP50Ms.toFixed(1)} p99 ${s.firstP99Ms.toFixed(1)} ms  ` +
        `cpu ${s.eventUs.toFixed(1)} us an event  memory ${s.idleMb} MB idle, ${s.openMb} MB open`,
    )
}

const firstByte = (samples: Samples, name: string) => of(samples, name, (s) => s.firstP50Ms)
const ratioOf = (samples: Samples) => (firstByte(samples, 'ai-gateway') / firstByte(samples, 'nginx')).toFixed(2)

type All = { full: Samples; alone: Samples; thinking: Samples; streams: Map<string, Streams>; booked: Booked }
function conclude({ full, alone, thinking, streams, booked }: All) {
  const everyToken = booked.tokens === booked.answers * CHUNKS
  console.log(
    `\nBooked: ${booked.answers} answers, ${booked.tokens} tokens, ${everyToken ? 'every token' : 'TOKENS DIFFER'}; memory ${booked.rssMb} MB`,
  )
  const withPostgres = 1e6 / of(full, 'ai-gateway', (s) => s.cpuUs + s.postgresUs)
  console.log('The AI gateway with keys, quota, metering and fallback armed')
  console.log(`  x portkey's throughput a core  ${(perCore(full, 'ai-gateway') / perCore(full, 'portkey')).toFixed(2)}   (goal >= 4)`)
  console.log(`    with PostgreSQL's share      ${(withPostgres / perCore(full, 'portkey')).toFixed(2)}   (Portkey meters nothing)`)
  console.log(`  x nginx's first byte           ${ratioOf(thinking)}   with a provider that thinks for ${THINK_MS} ms (goal <= 2)`)
  console.log(
    `                                 ${ratioOf(alone)}   one at a time, ${ratioOf(full)} as many as go: there the queue is the answer`,
  )
  console.log(`  streams lost                   ${STREAMS - (streams.get('ai-gateway')?.answers ?? 0)}   (goal 0)`)
}
