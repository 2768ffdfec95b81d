import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Every request that the proxy itself saw as one carries this. */
export const mark = 'x-seen-by-proxy'

type Kind = 'nginx' | 'haproxy'
// They are for administrators, whose folders are not on everybody's PATH.
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` }
export const isInstalled = (proxy: Kind) => spawnSync(proxy, ['-v'], { env, stdio: 'ignore' }).status === 0

export async function startProxy(kind: Kind, gatewayPort: number) {
  const folder = mkdtempSync(join(tmpdir(), `operon-${kind}-`))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const file = join(folder, 'proxy.conf')
  writeFileSync(file, kind === 'nginx' ? nginxConfig(folder, port, gatewayPort) : haproxyConfig(port, gatewayPort))
  const child = spawn(kind, kind === 'nginx' ? ['-p', folder, '-c', file] : ['-db', '-f', file], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr!.on('data', (chunk) => {
    said += chunk
  })
  await listening(port, child, () => said)
  const close = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  return { port, close }
}

/** The proxies of `docs/operating.md`, between other ports and with the mark. */
function nginxConfig(folder: string, port: number, gatewayPort: number): string {
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/operating.md'), 'utf8')
  const told = /```nginx\n([\s\S]*?)```/
    .exec(docs)![1]!
    .replace(/least_conn;[^}]*keepalive/, `server 127.0.0.1:${gatewayPort}; keepalive`)
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('proxy_pass http://operon;', `proxy_pass http://operon; proxy_set_header ${mark} 1;`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')
  return `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr crit;
events {}
http { access_log off; ${temporary}\n${told}}`
}

const haproxyConfig = (port: number, gatewayPort: number) => `
defaults
  mode http
  timeout connect 5s
  timeout client 20s
  timeout server 20s
  http-reuse always
listen operon
  bind 127.0.0.1:${port}
  http-request set-header ${mark} 1
  server gateway 127.0.0.1:${gatewayPort}
`

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function listening(port: number, child: ChildProcess, said: () => string): Promise<void> {
  for (const until = performance.now() + 20_000; performance.now() < until; ) {
    if (child.exitCode !== null) break
    const socket = connect(port, '127.0.0.1')
    const [event] = await Promise.race([
      once(socket, 'connect').then(() => ['connect']),
      new Promise<string[]>((resolve) => socket.once('error', () => resolve(['error']))),
    ])
    socket.destroy()
    if (event === 'connect') return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the proxy does not listen: ${said()}`)
}
