import prom from 'prom-client'
import { expect, test } from 'vitest'
import { Durations } from './durations.ts'

const name = 'took_seconds'
const help = 'How long it took'

test('durations are told as the histogram of the library tells them, line for line', async () => {
  const [ours, theirs] = [new prom.Registry(), new prom.Registry()]
  const durations = new Durations({ name, help, registry: ours })
  const histogram = new prom.Histogram({
    name,
    help,
    labelNames: ['service', 'route', 'method', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [theirs],
  })
  for (const [route, status, seconds] of [
    ['/a', 200, 0],
    ['/a', 200, 0.002],
    ['/a', 200, 0.0021],
    ['/a', 500, 0.3],
    ['/b"\\', 200, 99],
    ['/a', 200, 1.5],
  ] as const) {
    const labels = { service: 'billing', route, method: 'GET', status }
    durations.observe(labels, seconds)
    histogram.observe(labels, seconds)
  }
  const sorted = async (registry: prom.Registry) => (await registry.metrics()).split('\n').map(inOrder).sort()
  expect(await sorted(ours)).toEqual(await sorted(theirs))
})

/** The labels of a line in one order; which one does not matter. */
const inOrder = (line: string) => line.replace(/\{(.*)\}/, (_, labels: string) => labels.split(',').sort().join(','))

test('how fast a service answers is the narrowest bound that holds so many of its requests', () => {
  const durations = new Durations({ name, help, registry: new prom.Registry() })
  expect(durations.within('gateway', 0.95)).toBeNull()
  const observe = (service: string, seconds: number) => durations.observe({ service, route: '/', method: 'GET', status: 200 }, seconds)
  for (let i = 0; i < 19; i++) observe('gateway', 0.04)
  observe('gateway', 60)
  observe('billing', 60)
  expect(durations.within('gateway', 0.95)).toBe(0.05)
  expect(durations.within('gateway', 0.99)).toBe(Number.POSITIVE_INFINITY)
})
