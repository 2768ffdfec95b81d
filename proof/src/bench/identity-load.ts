// People on keep-alive connections who sign in, refresh or ask who they are, one request after another. Raw sockets, so that the generator costs little.
import { connect } from 'node:net'

type Input = {
  port: number
  kind: 'password' | 'refresh' | 'user'
  people: number
  seconds: number
  warmUpSeconds: number
  password: string
  accounts: number
  from: number
}
const { port, kind, people, seconds, warmUpSeconds, password, accounts, from } = JSON.parse(process.argv[2]!) as Input
type Session = { access_token: string; refresh_token: string }

const signIn = (at: number) => post('/auth/v1/token?grant_type=password', { email: `bench-${at % accounts}@example.com`, password })
const post = (path: string, body: object) => frame('POST', path, JSON.stringify(body), '')
const frame = (method: string, path: string, body: string, more: string) =>
  `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\napikey: anon\r\n${more}${body && `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`}\r\n${body}`

let measuring = false
let stopped = false
let bad = 0
let next = from
const latencies: number[] = []

function requestFor(session: Session | null): string {
  if (!session || kind === 'password') return signIn(next++)
  if (kind === 'refresh') return post('/auth/v1/token?grant_type=refresh_token', { refresh_token: session.refresh_token })
  return frame('GET', '/auth/v1/user', '', `authorization: Bearer ${session.access_token}\r\n`)
}

function person() {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let session: Session | null = null
  let counts = false
  let sentAt = 0
  let text = ''
  const send = () => {
    text = ''
    sentAt = performance.now()
    counts = measuring && (session !== null || kind === 'password')
    socket.write(requestFor(session))
  }
  socket.setEncoding('latin1')
  socket.on('connect', send)
  socket.on('error', () => (bad += 1))
  socket.on('data', (chunk: string) => {
    text += chunk
    const end = text.indexOf('\r\n\r\n')
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0)
    if (end < 0 || text.length < end + 4 + length) return
    const good = text.startsWith('HTTP/1.1 200')
    if (counts && measuring && !stopped) latencies.push(performance.now() - sentAt)
    if (!good) bad += 1
    else if (kind !== 'user' || !session) session = JSON.parse(text.slice(end + 4)) as Session
    if (!stopped) send()
    else socket.destroy()
  })
}

for (let i = 0; i < people; i++) person()
setTimeout(() => {
  measuring = true
  setTimeout(() => {
    stopped = true
    const sorted = Float64Array.from(latencies).sort()
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    process.send!({ perSecond: sorted.length / seconds, bad, p50Ms: at(0.5), p99Ms: at(0.99) }, undefined, undefined, () => process.exit(0))
  }, seconds * 1000)
}, warmUpSeconds * 1000)
