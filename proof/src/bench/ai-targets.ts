import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { findProgram } from '@operon/deploy/machine'
import { freePorts } from '@operon/kit/ports'
import { start, startProgram } from './measure.ts'

export type Target = { name: string; port: number; pid: number; path: string; headers: string[]; tokens: string[] }
/** A provider, and everybody who can stand before it. */
export type Course = { targets: Target[]; gateway: ChildProcess; pace(provider: Provider): Promise<unknown> }
/** `thinkMs` passes before the first word, `everyMs` from one event to the next; 0 is all at once. */
export type Provider = { chunks: number; everyMs: number; thinkMs: number }

type Place = { folder: string; databaseUrl: string; children: ChildProcess[] }

/** A provider, and before it the AI gateway, nginx as a bare proxy, and Portkey's gateway: each with the machine to itself when its turn comes. */
export async function startCourse({ folder, databaseUrl, children }: Place): Promise<Course> {
  const keep = <T extends { child: ChildProcess }>(started: T): T => {
    children.push(started.child)
    return started
  }
  const [direct, ours, proxied, portkeyPort] = await freePorts(4)
  const upstream = keep(await start('ai-upstream.ts', { port: direct }))
  const gateway = keep(
    await start<{ tokens: string[] }>('ai-process.ts', {
      port: ours,
      upstream: `http://127.0.0.1:${direct}`,
      databaseUrl,
      dataDir: join(folder, 'gateway'),
    }),
  )
  const plain = { path: '/v1/chat/completions', headers: [], tokens: [] }
  const targets: Target[] = [
    { name: 'direct', port: direct!, pid: upstream.child.pid!, ...plain },
    {
      name: 'ai-gateway',
      port: ours!,
      pid: gateway.child.pid!,
      path: '/ai/v1/chat/completions',
      headers: ['apikey: anon'],
      tokens: gateway.told.tokens,
    },
  ]
  const nginx = startNginx(folder, proxied!, direct!)
  if (nginx) {
    children.push(nginx)
    targets.push({ name: 'nginx', port: proxied!, pid: nginx.pid!, ...plain })
  }
  const portkey = await startPortkey(portkeyPort!)
  children.push(portkey)
  const headers = ['x-portkey-provider: openai', `x-portkey-custom-host: http://127.0.0.1:${direct}/v1`]
  targets.push({ name: 'portkey', port: portkeyPort!, pid: portkey.pid!, ...plain, headers })
  const pace = async (provider: Provider) => {
    upstream.child.send(provider)
    await once(upstream.child, 'message')
  }
  return { targets, gateway: gateway.child, pace }
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
