// Opens event streams, counts what each of them hears, and times the first byte.
import { request } from 'node:http'

type Input = { port: number; path: string; headers: Record<string, string>; streams: number; seconds: number; events: number }
const { port, path, headers, streams, seconds, events } = JSON.parse(process.argv[2]!) as Input
const firstBytes: number[] = []
let whole = 0
let opened = 0
let ended = 0

function open() {
  const began = performance.now()
  let heard = 0
  const asked = request({ port, host: '127.0.0.1', path, headers, agent: false }, (response) => {
    if (response.statusCode === 200) opened += 1
    response.once('data', () => firstBytes.push(performance.now() - began))
    response.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 35) heard += 1
      if (heard === events) {
        whole += 1
        heard += 1
      }
    })
    response.on('close', () => (ended += 1))
  })
  asked.on('error', () => {})
  asked.end()
}

// A few at a time, as pages arrive; all are open together before the first events.
let started = 0
const opening = setInterval(() => {
  for (let i = 0; i < 25 && started < streams; i++, started++) open()
  if (started === streams) clearInterval(opening)
}, 10)

setTimeout(() => {
  const sorted = firstBytes.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  process.send!({ opened, whole, endedEarly: ended, p50Ms: at(0.5), p99Ms: at(0.99) }, undefined, undefined, () => process.exit(0))
}, seconds * 1000)
