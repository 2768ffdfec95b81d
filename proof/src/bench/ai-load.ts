// Keep-alive connections that ask for one streamed answer after another, or hold many open at once. Raw sockets: the generator must cost little.
import { connect } from 'node:net'

type Input = {
  port: number
  path: string
  headers: string[]
  tokens: string[]
  connections: number
  seconds: number
  warmUpSeconds: number
  once?: boolean
}
const { port, path, headers, tokens, connections, seconds, warmUpSeconds, once = false } = JSON.parse(process.argv[2]!) as Input
const body = JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'Write about bread.' }] })
const requestOf = (i: number) =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers.map((line) => `${line}\r\n`).join('')}${tokens.length ? `authorization: Bearer ${tokens[i % tokens.length]}\r\n` : 'authorization: Bearer bench\r\n'}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )

let measuring = warmUpSeconds === 0
let stopped = false
let bad = 0
let whole = 0
const firstBytes: number[] = []
const totals: number[] = []

function drive(i: number) {
  const request = requestOf(i)
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let sentAt = 0
  let firstAt = 0
  let tail = ''
  let head = ''
  const send = () => {
    tail = head = ''
    firstAt = 0
    sentAt = performance.now()
    socket.write(request)
  }
  socket.setEncoding('latin1')
  socket.on('connect', send)
  socket.on('error', () => (bad += 1))
  socket.on('close', () => stopped || once || drive(i))
  socket.on('data', (text: string) => {
    if (!firstAt) {
      head += text
      // The first words, not the first header.
      if (head.includes('data: ')) firstAt = performance.now()
      else if (head.length < 4096) return
    }
    tail = (tail + text).slice(-64)
    if (!tail.endsWith('0\r\n\r\n')) return
    const good = head.startsWith('HTTP/1.1 200') && tail.includes('[DONE]')
    if (measuring) {
      if (good) {
        whole += 1
        firstBytes.push(firstAt - sentAt)
        totals.push(performance.now() - sentAt)
      } else bad += 1
    }
    if (once) return void socket.destroy()
    if (!stopped) send()
  })
}

let started = 0
const opening = setInterval(() => {
  for (let n = 0; n < 50 && started < connections; n++) drive(started++)
  if (started === connections) clearInterval(opening)
}, 10)
setTimeout(() => {
  measuring = true
  process.send!('measuring')
  setTimeout(() => {
    stopped = true
    const at = (values: number[], share: number) =>
      values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
    process.send!(
      {
        answers: whole,
        bad,
        firstP50Ms: at(firstBytes, 0.5),
        firstP99Ms: at(firstBytes, 0.99),
        totalP50Ms: at(totals, 0.5),
        totalP99Ms: at(totals, 0.99),
      },
      undefined,
      undefined,
      () => process.exit(0),
    )
  }, seconds * 1000)
}, warmUpSeconds * 1000)
