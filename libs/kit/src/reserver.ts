import { setImmediate as nextTurn } from 'node:timers/promises'
import { budgetsOf, type Tier, tiers, type Unit } from '@operon/contracts/plans'
import type { Kysely } from 'kysely'
import { newId } from './ids.ts'
import {
  type Ask,
  type ByTier,
  extend,
  HOLD_MS,
  type Reservation,
  refusal,
  reserveMany,
  type Taken,
  take,
  takeDrawn,
  type Wanted,
} from './meter.ts'
import { currentTrace } from './telemetry.ts'
import { inSpan, isTracing } from './tracing.ts'

/** So many units must be left beyond those being asked for, and be known so lately, for an allowance to be ample. */
const AMPLE = 20
/** The budget is ample for a question of the most that it can cost, which few do. */
const AMPLE_COST = 5
const KNOWN_FOR_MS = 30_000
const REMEMBERED = 10_000
const BATCH = 100

type Waiting = { wanted: Wanted; trace: string | undefined; done: (taken: Taken | undefined) => void; failed: (error: unknown) => void }
/** How much a person's plan still allowed when their last reservation was stored, and how many of theirs are on their way. */
type Known = { tier: Tier; left: number | null; costLeft: number | null; at: number; asking: number; askingCost: number }

/**
 * Reserving on a hot path: callers who ask while a statement is under way share the next one. A single caller waits for nobody;
 * a thousand at once cost a few statements instead of a thousand.
 */
export class Reserver {
  readonly #lane: Lane
  /** Changed in place: a map whose entries come and go with each question leaves tables behind that keep all they held until a full collection. */
  readonly #known = new Map<string, Known>()
  readonly #db: Kysely<any>
  readonly #unit: Unit
  /** The budget of each plan in a period; null where units are not paid for one by one. */
  readonly budgets: ByTier | null

  constructor(db: Kysely<any>, unit: Unit, service: string) {
    this.#db = db
    this.#unit = unit
    const budgets = tiers.map((tier) => [tier, budgetsOf(tier)[service]] as const)
    this.budgets = budgets.every(([, budget]) => budget !== undefined) ? (Object.fromEntries(budgets) as ByTier) : null
    this.#lane = new Lane(service, (wanted) => take(db, unit, wanted, this.budgets))
  }

  /**
   * Whether the next reservation will be granted as far as anybody can tell here. Only ever a reason to begin work beside it: what was
   * begun is given to nobody before the reservation is stored, so a mistake costs a call and never a unit.
   */
  isAmple(userId: string, costs: ByTier | null = null): boolean {
    const known = this.#known.get(userId)
    if (!known || Date.now() - known.at > KNOWN_FOR_MS) return false
    if (known.left !== null && known.left - known.asking < AMPLE) return false
    return !costs || known.costLeft === null || known.costLeft - known.askingCost >= AMPLE_COST * costs[known.tier]
  }

  /** The plan by which the last reservation was granted. */
  tierOf(userId: string): Tier {
    return this.#known.get(userId)?.tier ?? 'none'
  }

  async reserve({ userId, feature, holdMs = HOLD_MS, costs = null }: Omit<Ask, 'unit' | 'amount'>): Promise<Reservation> {
    const known = this.#of(userId)
    const cost = costs?.[known.tier] ?? 0
    known.asking += 1
    known.askingCost += cost
    let taken: Taken | undefined
    try {
      const wanted: Wanted = { id: newId(), userId, feature, amount: 1, holdMs, costs }
      taken = (await this.#lane.add(wanted)) ?? (await takeDrawn(this.#db, this.#unit, wanted, this.budgets))
      if (!taken) throw await refusal(this.#db, { userId, unit: this.#unit, costs }, this.budgets)
      known.tier = taken.tier
      return taken
    } finally {
      known.left = taken ? taken.left : 0
      known.costLeft = taken ? taken.costLeft : 0
      known.at = Date.now()
      known.asking -= 1
      known.askingCost -= cost
    }
  }

  /** Several of one user, each to be settled by itself: all of them or none. */
  reserveMany(asks: Omit<Ask, 'unit'>[]): Promise<Reservation[]> {
    return reserveMany(
      this.#db,
      asks.map((ask) => ({ ...ask, unit: this.#unit })),
      this.budgets,
    )
  }

  /** Raises what a reservation holds to this much; false when the budget does not allow it. */
  async holdAtLeast(reservation: Reservation, microusd: number): Promise<boolean> {
    const more = microusd - reservation.costMicrousd
    return more <= 0 || extend(this.#db, reservation, more, this.budgets)
  }

  #of(userId: string): Known {
    const known = this.#known.get(userId) ?? { tier: 'none', left: 0, costLeft: 0, at: 0, asking: 0, askingCost: 0 }
    this.#known.set(userId, known)
    // The longest known goes first, and comes back with the next question.
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.keys().next().value!)
    return known
  }
}

/** One statement at a time, with all who came during the one before. */
class Lane {
  #waiting: Waiting[] = []
  #running = false
  readonly #service: string
  readonly #take: (wanted: Wanted[]) => Promise<Map<string, Taken>>

  constructor(service: string, takeAll: (wanted: Wanted[]) => Promise<Map<string, Taken>>) {
    this.#service = service
    this.#take = takeAll
  }

  /** Undefined for who gets none. */
  add(wanted: Wanted): Promise<Taken | undefined> {
    return new Promise((done, failed) => {
      this.#waiting.push({ wanted, trace: currentTrace(), done, failed })
      if (!this.#running) void this.#run()
    })
  }

  async #run() {
    this.#running = true
    // A single request goes at once. Requests that come in the same turn of the event loop as an answer go together.
    for (let first = true; this.#waiting.length; first = false) {
      if (!first) await nextTurn()
      const batch = this.#waiting.splice(0, BATCH)
      try {
        const taken = await this.#traced(batch)
        for (const { wanted, done } of batch) done(taken.get(wanted.id))
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
    }
    this.#running = false
  }

  /** The statement belongs to all who share it: a step in the first one's trace, linked to the others'. */
  #traced(batch: Waiting[]): Promise<Map<string, Taken>> {
    const wanted = batch.map((each) => each.wanted)
    if (!isTracing()) return this.#take(wanted)
    const [parent, ...links] = batch.flatMap(({ trace }) => trace ?? [])
    const attributes = { 'operon.reservations': wanted.length }
    return inSpan({ service: this.#service, kind: 'client', name: 'reserve', parent, links, attributes }, () => this.#take(wanted))
  }
}
