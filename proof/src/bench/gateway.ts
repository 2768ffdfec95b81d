import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { findProgram } from '@operon/deploy/machine'
import { freePorts } from '@operon/kit/ports'
import { cpuSeconds, median, run, start, startProgram } from './measure.ts'

type Load = { requests: number; bad: number; p50Ms: number; p99Ms: number }
type Streams = { opened: number; whole: number; endedEarly: number; p50Ms: number; p99Ms: number }
type Target = { name: string; port: number; pid: number }
type Sample = Load & { seconds: number; cpuUs: number }

const path = '/rest/v1/activity_logs?select=id,command,status,created_at&order=created_at.desc&limit=10'
const streamPath = '/rest/v1/activity_logs?stream=1'
type Form = { rounds: number; seconds: number; warmUpSeconds: number; events: number; streamSeconds: number }
const longForm: Form = { rounds: 4, seconds: 3, warmUpSeconds: 4, events: 5, streamSeconds: 7 }
/** For CI: half a minute. */
const shortForm: Form = { rounds: 1, seconds: 1.5, warmUpSeconds: 1.5, events: 3, streamSeconds: 4 }

/** The gateway with everything on beside nginx as a bare proxy, @fastify/http-proxy and no proxy at all: one upstream, one run, taking turns. */
export async function bench({ short }: { short: boolean }) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const children: ChildProcess[] = []
  try {
    const form = short ? shortForm : longForm
    const { targets, token } = await startAll(folder, children, form)
    const samples = await measureLoad(targets, token, form)
    console.log('Whose processor time was counted, children included; never the load generator nor the service behind a proxy')
    for (const { name, pid } of targets) console.log(`  ${name.padEnd(20)} ${processesOf(pid).join(', ')}`)
    const streams = new Map<string, Streams>()
    for (const { name, port } of targets) streams.set(name, await openStreams(port, token, form))
    report(samples, streams)
  } finally {
    for (const child of children.reverse()) child.kill()
    await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startAll(folder: string, children: ChildProcess[], { events }: Form) {
  const [direct, gatewayPort, proxyPort, nginxPort] = (await freePorts(4)) as [number, number, number, number]
  const upstream = `http://127.0.0.1:${direct}`
  const keep = <T extends { child: ChildProcess }>(started: T): T => {
    children.push(started.child)
    return started
  }
  const service = keep(await start('upstream.ts', { port: direct, eventEveryMs: 700, events }))
  const gateway = keep(await start<{ token: string }>('gateway-process.ts', { port: gatewayPort, upstream }))
  const proxy = keep(await start('http-proxy-process.ts', { port: proxyPort, upstream }))
  const targets: Target[] = [
    { name: 'direct', port: direct, pid: service.child.pid! },
    { name: 'gateway', port: gatewayPort, pid: gateway.child.pid! },
    { name: '@fastify/http-proxy', port: proxyPort, pid: proxy.child.pid! },
  ]
  const nginx = startNginx(folder, nginxPort, direct)
  if (nginx) {
    children.push(nginx)
    targets.splice(1, 0, { name: 'nginx', port: nginxPort, pid: nginx.pid! })
  } else console.log('nginx is not on PATH: its share of the comparison is left out')
  return { targets, token: gateway.told.token }
}

/** A process and those it has started, as `pid program arguments`. */
function processesOf(pid: number): string[] {
  const [program = '', ...given] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean)
  const line = [basename(program), ...given.slice(0, 1).map((each) => basename(each))].join(' ')
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return [`${pid} ${line}`, ...children.flatMap((child) => processesOf(Number(child)))]
}

function startNginx(folder: string, port: number, upstream: number): ChildProcess | null {
  const program = findProgram('nginx')
  if (!program) return null
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 8192; }
http { access_log off; ${temp} keepalive_requests 1000000;
  upstream service { server 127.0.0.1:${upstream}; keepalive 256; keepalive_requests 1000000; }
  server { listen 127.0.0.1:${port} backlog=4096; proxy_buffering off;
    location / { proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; } } }\n`,
  )
  return startProgram(program, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')])
}

async function measureLoad(targets: Target[], token: string, { rounds, seconds, warmUpSeconds }: Form) {
  const samples = new Map<string, Sample[]>(targets.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    // Every other round backwards, so that none always follows the same one; the first only warms up until the code is compiled.
    for (const target of round % 2 ? targets : targets.toReversed()) {
      const sample = await loadOne(target, token, round === 0 ? warmUpSeconds : seconds)
      if (round > 0) samples.get(target.name)!.push(sample)
    }
    if (round > 0)
      console.log(
        `round ${round} of ${rounds}: ${targets.map(({ name }) => `${name} ${samples.get(name)!.at(-1)!.cpuUs.toFixed(0)} us`).join(', ')}`,
      )
  }
  return samples
}

async function loadOne({ port, pid }: Target, token: string, seconds: number): Promise<Sample> {
  const { child } = await start('load.ts', { port, path, headers: requestHeaders(token), connections: 32, seconds, warmUpSeconds: 0.3 })
  const before = cpuSeconds(pid)
  const [result] = (await once(child, 'message')) as [Load]
  const used = cpuSeconds(pid) - before
  await once(child, 'exit')
  return { ...result, seconds, cpuUs: (used / result.requests) * 1e6 }
}

const requestHeaders = (token: string) => [
  `authorization: Bearer ${token}`,
  'apikey: anon',
  'accept: application/json',
  'accept-encoding: gzip, br',
  'x-client-info: supabase-js-web/2',
  'user-agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
  'origin: http://127.0.0.1',
  'accept-language: en',
]

function openStreams(port: number, token: string, { events, streamSeconds }: Form): Promise<Streams> {
  const headers = { authorization: `Bearer ${token}`, apikey: 'anon', accept: 'text/event-stream' }
  return run<Streams>('streams.ts', { port, path: streamPath, headers, streams: 1_000, seconds: streamSeconds, events })
}

function report(samples: Map<string, Sample[]>, streams: Map<string, Streams>) {
  console.log('\nOne GET of a kilobyte of JSON with a session token, 32 connections; medians of the rounds')
  for (const [name, taken] of samples) {
    const of = (pick: (sample: Sample) => number) => median(taken.map(pick))
    console.log(
      `  ${name.padEnd(20)} ${of((s) => s.requests / s.seconds)
        .toFixed(0)
        .padStart(6)} req/s  cpu ${of((s) => s.cpuUs)
        .toFixed(1)
        .padStart(
          6,
        )} us/req  p50 ${of((s) => s.p50Ms).toFixed(2)} ms  p99 ${of((s) => s.p99Ms).toFixed(2)} ms  bad ${taken.reduce((sum, s) => sum + s.bad, 0)}`,
    )
  }
  console.log('1,000 event streams at once; first byte, and how many heard every event')
  for (const [name, s] of streams)
    console.log(
      `  ${name.padEnd(20)} p50 ${s.p50Ms.toFixed(1)} ms  p99 ${s.p99Ms.toFixed(1)} ms  open ${s.opened}  whole ${s.whole}  lost ${1_000 - s.whole}`,
    )
  const ratio = (other: string) =>
    samples.has(other) ? median(samples.get('gateway')!.map((sample, i) => sample.cpuUs / samples.get(other)![i]!.cpuUs)) : Number.NaN
  console.log('CPU per request of the gateway, everything on (medians of paired ratios)')
  console.log(`  x nginx               ${ratio('nginx').toFixed(2)}   (goal <= 2.5)`)
  console.log(`  x @fastify/http-proxy ${ratio('@fastify/http-proxy').toFixed(2)}   (goal <= 0.55)`)
  console.log(`  streams lost          ${1_000 - (streams.get('gateway')?.whole ?? 0)}   (goal 0)`)
}
