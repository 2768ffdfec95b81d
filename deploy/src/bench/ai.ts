import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '../machine.ts'
import { startPostgres } from '../postgres.ts'
import { cpuSeconds, freePort, median, start, startProgram } from './measure.ts'

type Load = { answers: number; bad: number; firstP50Ms: number; firstP99Ms: number; totalP50Ms: number; totalP99Ms: number }
type Target = { name: string; port: number; pid: number; path: string; headers: string[]; tokens: string[] }
type Sample = Load & { seconds: number; cpuUs: number }

const CHUNKS = 50
const STREAMS = 1000

/** Streamed answers through the AI gateway, everything armed, beside nginx as a bare proxy, Portkey's gateway and the upstream itself: one run, taking turns. */
export async function bench({ short }: { short: boolean }) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-ai-'))
  chmodSync(folder, 0o755)
  const children: ChildProcess[] = []
  const postgres = await startPostgres({ dataDir: folder, log: () => {} })
  try {
    const { targets, slow, gateway } = await startAll(folder, postgres.url, children)
    const samples = await measure(targets, { rounds: short ? 2 : 4, seconds: short ? 2 : 4 })
    const streams = new Map<string, Load>()
    for (const target of slow)
      streams.set(target.name, (await load(target, { connections: STREAMS, seconds: 9, warmUpSeconds: 0, once: true })).result)
    gateway.send('booked')
    const [booked] = (await once(gateway, 'message')) as [{ answers: number; tokens: number; rssMb: number }]
    report(samples, streams, booked)
  } finally {
    for (const child of children.reverse()) child.kill()
    await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startAll(folder: string, databaseUrl: string, children: ChildProcess[]) {
  const ports: number[] = []
  for (let from = 9700; ports.length < 7; from = ports.at(-1)! + 1) ports.push(await freePort(from, 9799))
  const [fast, trickle, ours, oursSlow, nginxPort, nginxSlow, portkeyPort] = ports as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const keep = <T extends { child: ChildProcess }>(started: T): T => {
    children.push(started.child)
    return started
  }
  const upstream = keep(await start('ai-upstream.ts', { port: fast, chunks: CHUNKS, everyMs: 0 }))
  keep(await start('ai-upstream.ts', { port: trickle, chunks: 8, everyMs: 800 }))
  const gateway = keep(
    await start<{ tokens: string[] }>('ai-process.ts', {
      port: ours,
      upstream: `http://127.0.0.1:${fast}`,
      databaseUrl,
      dataDir: join(folder, 'a'),
    }),
  )
  const gatewaySlow = keep(
    await start<{ tokens: string[] }>('ai-process.ts', {
      port: oursSlow,
      upstream: `http://127.0.0.1:${trickle}`,
      databaseUrl,
      database: 'ai_gateway_slow',
      dataDir: join(folder, 'b'),
    }),
  )
  const plain = { path: '/v1/chat/completions', headers: [], tokens: [] }
  const targets: Target[] = [
    { name: 'direct', port: fast, pid: upstream.child.pid!, ...plain },
    {
      name: 'ai-gateway',
      port: ours,
      pid: gateway.child.pid!,
      path: '/ai/v1/chat/completions',
      headers: ['apikey: anon'],
      tokens: gateway.told.tokens,
    },
  ]
  const slow: Target[] = [
    {
      name: 'ai-gateway',
      port: oursSlow,
      pid: gatewaySlow.child.pid!,
      path: '/ai/v1/chat/completions',
      headers: ['apikey: anon'],
      tokens: gatewaySlow.told.tokens,
    },
  ]
  for (const [port, to, list] of [
    [nginxPort, fast, targets],
    [nginxSlow, trickle, slow],
  ] as const) {
    const nginx = startNginx(folder, port, to)
    if (!nginx) continue
    children.push(nginx)
    list.push({ name: 'nginx', port, pid: nginx.pid!, ...plain })
  }
  const portkey = await startPortkey(portkeyPort)
  children.push(portkey)
  targets.push({
    name: 'portkey',
    port: portkeyPort,
    pid: portkey.pid!,
    path: '/v1/chat/completions',
    headers: ['x-portkey-provider: openai', `x-portkey-custom-host: http://127.0.0.1:${fast}/v1`],
    tokens: [],
  })
  return { targets, slow, gateway: gateway.child }
}

async function startPortkey(port: number): Promise<ChildProcess> {
  const script = createRequire(import.meta.url).resolve('@portkey-ai/gateway/build/start-server.js')
  const child = startProgram(process.execPath, [script, '--headless', `--port=${port}`])
  for (let i = 0; i < 100; i++) {
    if (
      await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    )
      return child
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('portkey did not start')
}

function startNginx(folder: string, port: number, upstream: number): ChildProcess | null {
  const program = findProgram('nginx')
  if (!program) {
    console.log('nginx is not on PATH: its share of the comparison is left out')
    return null
  }
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')
  const file = join(folder, `nginx-${port}.conf`)
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${folder}/nginx-${port}.pid; error_log ${folder}/error.log;
events { worker_connections 8192; }
http { access_log off; ${temp} keepalive_requests 1000000;
  upstream model { server 127.0.0.1:${upstream}; keepalive 256; keepalive_requests 1000000; }
  server { listen 127.0.0.1:${port} backlog=4096; proxy_buffering off;
    location / { proxy_pass http://model; proxy_http_version 1.1; proxy_set_header Connection ""; } } }\n`,
  )
  return startProgram(program, ['-p', folder, '-c', file, '-e', join(folder, 'error.log')])
}

async function measure(targets: Target[], { rounds, seconds }: { rounds: number; seconds: number }) {
  const samples = new Map<string, Sample[]>(targets.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    // Every other round backwards; the first only warms up.
    for (const target of round % 2 ? targets : targets.toReversed()) {
      const length = round === 0 ? 4 : seconds
      const { result, cpu } = await load(target, { connections: 32, seconds: length, warmUpSeconds: 0.3 })
      if (round > 0) samples.get(target.name)!.push({ ...result, seconds: length, cpuUs: (cpu / Math.max(1, result.answers)) * 1e6 })
    }
  }
  return samples
}

async function load(target: Target, options: { connections: number; seconds: number; warmUpSeconds: number; once?: boolean }) {
  const { port, path, headers, tokens, pid } = target
  const { child } = await start('ai-load.ts', { port, path, headers, tokens, ...options })
  const before = cpuSeconds(pid)
  const [result] = (await once(child, 'message')) as [Load]
  const cpu = cpuSeconds(pid) - before
  await once(child, 'exit')
  return { result, cpu }
}

function report(samples: Map<string, Sample[]>, streams: Map<string, Load>, booked: { answers: number; tokens: number; rssMb: number }) {
  const of = (name: string, pick: (sample: Sample) => number) => median((samples.get(name) ?? []).map(pick))
  const perCore = (name: string) => 1e6 / of(name, (s) => s.cpuUs)
  console.log(`\nStreamed answers of ${CHUNKS} events, 32 connections; medians of the rounds`)
  for (const [name, taken] of samples) {
    console.log(
      `  ${name.padEnd(12)} ${of(name, (s) => s.answers / s.seconds)
        .toFixed(0)
        .padStart(6)} answers/s  cpu ${of(name, (s) => s.cpuUs)
        .toFixed(0)
        .padStart(
          5,
        )} us/answer  ${perCore(name).toFixed(0).padStart(6)} answers/s a core  first byte p50 ${of(name, (s) => s.firstP50Ms).toFixed(1)} p99 ${of(name, (s) => s.firstP99Ms).toFixed(1)} ms  whole p50 ${of(name, (s) => s.totalP50Ms).toFixed(1)} ms  bad ${taken.reduce((sum, s) => sum + s.bad, 0)}`,
    )
  }
  console.log(`${STREAMS.toLocaleString('en')} streams at once, an event every 0.8 s`)
  for (const [name, s] of streams)
    console.log(
      `  ${name.padEnd(12)} whole ${s.answers}  lost ${STREAMS - s.answers}  first byte p50 ${s.firstP50Ms.toFixed(1)} p99 ${s.firstP99Ms.toFixed(1)} ms`,
    )
  console.log(
    `Booked: ${booked.answers} answers, ${booked.tokens} tokens, ${booked.tokens === booked.answers * CHUNKS ? 'every token' : 'TOKENS DIFFER'}; memory ${booked.rssMb} MB`,
  )
  console.log('The AI gateway with keys, quota, metering and fallback armed')
  console.log(`  x portkey's throughput a core  ${(perCore('ai-gateway') / perCore('portkey')).toFixed(2)}   (goal >= 4)`)
  console.log(
    `  x nginx's first byte           ${(of('ai-gateway', (s) => s.firstP50Ms) / of('nginx', (s) => s.firstP50Ms)).toFixed(2)}   (goal <= 2)`,
  )
  console.log(`  streams lost                   ${STREAMS - (streams.get('ai-gateway')?.answers ?? 0)}   (goal 0)`)
}
