import type { Unit } from '@operon/contracts/plans'
import type { Kysely } from 'kysely'
import { newId } from './ids.ts'
import { type Ask, HOLD_MS, overLimit, type Reservation, take, type Wanted } from './meter.ts'

/** So many units must be left beyond those being asked for, and be known so lately, for an allowance to be ample. */
const AMPLE = 20
const KNOWN_FOR_MS = 30_000
const REMEMBERED = 10_000
const BATCH = 100

type Waiting = { wanted: Wanted; done: (reservation: Reservation) => void; failed: (error: unknown) => void }
type Known = { left: number | null; at: number }

/**
 * Reserving on a hot path: callers who ask while a statement is under way share the next one. Who comes alone waits for nobody;
 * a thousand at once cost a few statements instead of a thousand.
 */
export class Reserver {
  #waiting: Waiting[] = []
  #running = false
  /** What each person's plan still allowed when their last reservation was stored, and how many they have on their way there. */
  readonly #known = new Map<string, Known>()
  readonly #asking = new Map<string, number>()
  readonly #db: Kysely<any>
  readonly #unit: Unit

  constructor(db: Kysely<any>, unit: Unit) {
    this.#db = db
    this.#unit = unit
  }

  /**
   * Whether the next reservation will be granted as far as anybody can tell here. Only ever a reason to begin work beside it: what was
   * begun is given to nobody before the reservation is stored, so a mistake costs a call and never a unit.
   */
  isAmple(userId: string): boolean {
    const known = this.#known.get(userId)
    if (!known || Date.now() - known.at > KNOWN_FOR_MS) return false
    return known.left === null || known.left - (this.#asking.get(userId) ?? 0) >= AMPLE
  }

  reserve({ userId, feature, holdMs = HOLD_MS }: Omit<Ask, 'unit' | 'amount'>): Promise<Reservation> {
    return new Promise((done, failed) => {
      this.#asking.set(userId, (this.#asking.get(userId) ?? 0) + 1)
      this.#waiting.push({ wanted: { id: newId(), userId, feature, amount: 1, holdMs }, done, failed })
      if (!this.#running) void this.#run()
    })
  }

  async #run() {
    this.#running = true
    while (this.#waiting.length) {
      const batch = this.#waiting.splice(0, BATCH)
      try {
        const taken = await take(
          this.#db,
          this.#unit,
          batch.map(({ wanted }) => wanted),
        )
        for (const { wanted, done, failed } of batch) {
          const reservation = taken.get(wanted.id)
          this.#learn(wanted.userId, reservation ? reservation.left : 0)
          if (reservation) done(reservation)
          else failed(overLimit(this.#unit))
        }
      } catch (error) {
        for (const { wanted, failed } of batch) {
          this.#learn(wanted.userId, 0)
          failed(error)
        }
      }
    }
    this.#running = false
  }

  #learn(userId: string, left: number | null) {
    const asking = this.#asking.get(userId)! - 1
    if (asking) this.#asking.set(userId, asking)
    else this.#asking.delete(userId)
    // The longest known goes first.
    this.#known.delete(userId)
    this.#known.set(userId, { left, at: Date.now() })
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.keys().next().value!)
  }
}
