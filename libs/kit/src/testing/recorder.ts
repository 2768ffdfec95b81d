import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Bus } from '../bus/bus.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Shared } from '../open.ts'

// With OPERON_RECORD, a folder, each test platform writes down what its services send each other: `npm run corpus -- --recorded <folder>`
// makes the recorded part of a release of it.

/** One message, by the name and part that its contract has. */
export type Heard = { name: string; part: string; value: unknown }

/** So many of a part are looked through for new shapes. */
const MOST_OF_A_PART = 400

export function recorderOf(folder: string | undefined) {
  if (!folder) return null
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${process.pid}.jsonl`)
  const counts = new Map<string, number>()

  function hear(name: string, part: string, value: unknown) {
    const place = `${name} ${part}`
    const count = (counts.get(place) ?? 0) + 1
    counts.set(place, count)
    if (count <= MOST_OF_A_PART) appendFileSync(file, `${JSON.stringify({ name, part, value } satisfies Heard)}\n`)
  }

  function listenTo(bus: Bus) {
    const { send, broadcast, request } = bus
    bus.send = (envelopes) => {
      for (const envelope of envelopes) {
        hear(envelope.name, 'payload', envelope.payload)
        hear('wire.envelope', 'envelope', envelope)
      }
      return send.call(bus, envelopes)
    }
    bus.broadcast = (name, payload) => {
      hear(name, 'payload', payload)
      return broadcast.call(bus, name, payload)
    }
    bus.request = async (name, signed, ...options) => {
      const reply = await request.call(bus, name, signed, ...options)
      const { input } = signed as { input: { name: string; input: unknown } }
      const isCall = name.endsWith('.call')
      const called = isCall ? `call.${input.name}` : name
      if (isCall) hear('wire.call', 'asked', input)
      hear(called, 'input', isCall ? input.input : input)
      hear(called, 'reply', reply)
      return reply
    }
  }

  return {
    /** Hears every bus that is opened from now on. */
    openedIn(shared: Shared) {
      const { set } = shared
      shared.set = (key, value) => {
        if (key.startsWith('bus of ')) listenTo(value as Bus)
        return set.call(shared, key, value)
      }
    },
    listenToJobs(jobs: Jobs) {
      const { add } = jobs
      jobs.add = (rows) => {
        for (const { name, payload, user_id, trace } of rows) {
          hear(name, 'payload', payload)
          hear('wire.job', 'job', { payload, user_id, trace })
        }
        return add.call(jobs, rows)
      }
    },
  }
}
