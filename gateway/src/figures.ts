import { revenue } from '@operon/contracts/billing/events'
import { countPeople } from '@operon/contracts/identity/events'
import type { Bus } from '@operon/kit/bus/bus'
import { askOver } from '@operon/kit/requests'
import type { Infra } from '@operon/kit/service'
import type { Logger } from '@operon/kit/telemetry'

/** The figures of the front page that this platform can count by itself; the others stay what the operator claims. */
export const countable = ['users', 'revenue', 'response'] as const
export type Figure = (typeof countable)[number]
type Counter = { name: Figure; count(): Promise<string> }
export type Counters = Partial<Record<Figure, Counter['count']>>

const EVERY_MS = 300_000
const AWAY_MS = 5_000
const NOT_YET = '–'

/** Figures that the operator has chosen to be counted instead of claimed, told again whenever one has changed. */
export class Figures {
  readonly counted = new Map<string, string>()
  readonly #counters: Counter[]
  readonly #log: Logger
  #again: NodeJS.Timeout | undefined
  #closed = false

  constructor(chosen: Figure[], counters: Counters, log: Logger) {
    this.#counters = chosen.map((name) => ({ name, count: counters[name] ?? (() => Promise.reject(new Error('nobody counts it here'))) }))
    this.#log = log
    for (const { name } of this.#counters) this.counted.set(name, NOT_YET)
  }

  watch(onChange: () => Promise<void>) {
    if (!this.#counters.length) return
    const look = async () => {
      const found = await Promise.all(this.#counters.map((counter) => this.#countOne(counter)))
      if (this.#closed) return
      if (found.includes('changed')) await onChange()
      // Services that are still starting are asked again soon.
      this.#again = setTimeout(look, found.includes('away') ? AWAY_MS : EVERY_MS).unref()
    }
    void look()
  }

  close() {
    this.#closed = true
    clearTimeout(this.#again)
  }

  async #countOne({ name, count }: Counter): Promise<'same' | 'changed' | 'away'> {
    try {
      const value = await count()
      const changed = this.counted.get(name) !== value
      this.counted.set(name, value)
      return changed ? 'changed' : 'same'
    } catch (err) {
      this.#log.info({ err, figure: name }, 'a figure of the front page could not be counted; the last one stays')
      return 'away'
    }
  }
}

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', notation: 'compact', maximumFractionDigits: 1 })

/** Figures that the gateway has to ask the services for. */
export const countersOf = ({ vault }: Infra, bus: Bus): Counters => ({
  users: async () => (await askOver({ bus, vault }, countPeople, {})).people.toLocaleString('en-US'),
  revenue: async () => dollars.format((await askOver({ bus, vault }, revenue, {})).usd_cents / 100),
})
