import { p95, type Shape, shapeOf, worst } from './shape.ts'
import type { Row } from './world.ts'

/** Milliseconds and blocks that say nothing: a timer's jitter, another level of an index. */
const NOISE_MS = 4
const NOISE_BLOCKS = 40
const NOISE_BYTES = 20_000

/** By what it reads and answers with, and where the sizes are worth it by its time. */
export function shapeOfRow({ at }: Row, sizes: readonly number[], inTime: boolean): Shape {
  const middle = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!
  const noise = Math.max(NOISE_MS, 2 * Math.max(...at.map(({ control }) => middle(control))))
  const time = shapeOf(
    sizes,
    at.map(({ ms }) => middle(ms)),
    noise,
  )
  return worst(
    ...(inTime || at.some(({ blocks }) => blocks === undefined) ? [time] : []),
    ...(at.every(({ blocks }) => blocks !== undefined)
      ? [
          shapeOf(
            sizes,
            at.map(({ blocks }) => blocks!),
            NOISE_BLOCKS,
          ),
        ]
      : []),
    ...(at.every(({ bytes }) => bytes !== undefined)
      ? [
          shapeOf(
            sizes,
            at.map(({ bytes }) => bytes!),
            NOISE_BYTES,
          ),
        ]
      : []),
  )
}

/** Rows of every table from which on a call reads no more, and why. Up to there it may be a line: what counts is how long it takes at the end of it. */
export const BOUNDED_AT: Record<string, [rows: number, why: string]> = {
  'statement-export': [10_000, 'up to 1,000 movements at once'],
  'sales-statement': [45_000, 'the same, and at most 5,000 are listed'],
  'staff-figures': [3_000, 'up to 2,000 accounts are counted while somebody waits'],
  'product-analytics': [8_000, 'ninety days of at most 41 sites'],
  'find-payment': [40_000, 'the newest 20,000'],
  'find-order': [40_000, 'the newest 20,000'],
  'dashboard-stats': [30_000, 'ten years of days'],
  'GET /auth/v1/admin/users': [10_000, 'counted up to 10,000'],
  'GET /auth/v1/admin/audit': [10_000, 'counted up to 10,000'],
  '/auth/v1/admin/users, a deep page': [45_000, 'a page so deep'],
  '/auth/v1/admin/audit, a deep page': [45_000, 'a page so deep'],
  '/rest/v1/activity_logs, a deep page': [80_000, 'a page so deep'],
  'list-notifications': [100_000, 'the newest thousand that are unread'],
  // Pages of so many rows, each found by a few indexes: from here on none of these is a level deeper for a million rows.
  'list-products': [100_000, 'a page of products'],
  'storefront-page': [100_000, 'a page of products'],
  'my-wishlist': [100_000, 'at most 500 products'],
  'list-event-types': [100_000, 'at most 100 kinds of appointments'],
  'list-tasks': [100_000, 'at most 200 open ones'],
  'staff-actions': [100_000, 'the newest 200'],
  'staff-reports': [100_000, 'the oldest 2,000 that are open, of which one in fifty is'],
}

function shapeWithin(row: Row, sizes: readonly number[], inTime: boolean): Shape | 'bounded' {
  const shape = shapeOfRow(row, sizes, inTime)
  const [bound] = BOUNDED_AT[row.name] ?? []
  if (shape !== 'linear' || bound === undefined) return shape
  const beyond = row.at.filter((_, at) => sizes[at]! >= bound).map(({ blocks = 0 }) => blocks)
  return beyond.length > 1 && beyond.at(-1)! > beyond[0]! * 1.25 + NOISE_BLOCKS ? 'linear' : 'bounded'
}

/** One line a row; says which calls that a screen waits for are linear. */
export function printRows(rows: Row[], sizes: number[], inTime: boolean): string[] {
  const linear: string[] = []
  console.log(`grows   waits   p95 in ms and blocks read, at ${sizes.join(' / ')} rows; then the control's p95 in the same moment`)
  for (const row of rows) {
    if (row.at.length !== sizes.length || row.refused) {
      console.log(`${'-'.padEnd(7)} ${row.waits.padEnd(7)} ${row.name}: ${row.refused ?? 'not at every size'}`)
      continue
    }
    const shape = shapeWithin(row, sizes, inTime)
    const ms = row.at.map(({ ms }) => p95(ms).toFixed(1)).join(' / ')
    const blocks = row.at.map(({ blocks }) => blocks ?? '-').join(' / ')
    const control = row.at.map(({ control }) => p95(control).toFixed(1)).join(' / ')
    const notes = row.at.map(({ note }) => note).filter(Boolean)
    console.log(
      `${shape.padEnd(7)} ${row.waits.padEnd(7)} ${row.name}: ${ms} ms, ${blocks} blocks (${control} ms)${notes.length ? `; ${notes.join(' / ')}` : ''}`,
    )
    if (shape === 'linear' && row.at.at(-1)!.heaviest) console.log(`        ${row.at.at(-1)!.heaviest!.replace(/\s+/g, ' ').slice(0, 600)}`)
    if (shape === 'linear' && row.waits === 'screen') linear.push(row.name)
  }
  const timed = rows.filter(({ refused, at }) => !refused && at.length === sizes.length)
  const screens = timed.filter(({ waits }) => waits === 'screen')
  const slow = screens.filter(({ at }) => p95(at.at(-1)!.ms) > 50)
  console.log(
    `${timed.length} timed, ${screens.length} of them of screens; p95 above 50 ms at ${sizes.at(-1)} rows: ${slow.map(({ name }) => name).join(', ') || 'none'}`,
  )
  console.log(`a screen waits for ${linear.length ? `linear work: ${linear.join(', ')}` : 'nothing that is linear'}`)
  return linear
}
