// Keep-alive connections that send one request after another, counted and timed. Raw sockets: the generator must cost less than what it measures.
import { connect } from 'node:net'

type Input = { port: number; path: string; headers: string[]; connections: number; seconds: number; warmUpSeconds: number }
const { port, path, headers, connections, seconds, warmUpSeconds } = JSON.parse(process.argv[2]!) as Input
const request = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`)

let measuring = false
let stopped = false
let bad = 0
const latencies: number[] = []

function drive() {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let sentAt = 0
  let text = ''
  let wanted = -1
  const send = () => {
    text = ''
    wanted = -1
    sentAt = performance.now()
    socket.write(request)
  }
  socket.setEncoding('latin1')
  socket.on('connect', send)
  socket.on('error', () => (bad += 1))
  socket.on('close', () => stopped || drive())
  socket.on('data', (chunk: string) => {
    text += chunk
    if (wanted < 0) wanted = lengthOf(text)
    if (wanted < 0 || text.length < wanted) return
    if (measuring) {
      latencies.push(performance.now() - sentAt)
      if (!text.startsWith('HTTP/1.1 200')) bad += 1
    }
    if (!stopped) send()
  })
}

/** The whole answer's length, head included; chunked answers are not expected here. */
function lengthOf(text: string): number {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return -1
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))
  return end + 4 + Number(length?.[1] ?? 0)
}

for (let i = 0; i < connections; i++) drive()
setTimeout(() => {
  measuring = true
  process.send!('measuring')
  setTimeout(() => {
    stopped = true
    const sorted = Float64Array.from(latencies).sort()
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    process.send!({ requests: sorted.length, bad, p50Ms: at(0.5), p99Ms: at(0.99) }, undefined, undefined, () => process.exit(0))
  }, seconds * 1000)
}, warmUpSeconds * 1000)
