import type { Looked } from './looks.ts'
import { p95, type Shape, shapeOf, worst } from './shape.ts'
import type { Row, Sample } from './world.ts'

/** So little says nothing: a timer's jitter, a level of an index, a row that has come in meanwhile. */
const NOISE = { ms: 4, blocks: 40, rows: 40, bytes: 20_000 }
/** An index over a thousand times as many rows is at most two levels deeper. */
const LEVELS = 2

/**
 * By the bytes it answers with, by the blocks it reads where they grow by more than deeper indexes and rows that no longer share their block
 * explain, and where the sizes are worth it by its time.
 */
export function shapeOfRow({ at }: Pick<Row, 'at'>, sizes: readonly number[], inTime: boolean): Shape {
  const middle = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!
  const jitter = Math.max(NOISE.ms, 2 * Math.max(...at.map(({ control }) => middle(control))))
  const counted = at.every(({ blocks }) => blocks !== undefined)
  const shapes =
    inTime || !counted
      ? [
          over(
            at.map(({ ms }) => middle(ms)),
            jitter,
          ),
        ]
      : []
  const looked = at.map(({ looked }) => looked)
  if (counted) {
    const fewest = (field: keyof Looked) => Math.min(...looked.map((each) => each?.[field] ?? 0))
    shapes.push(
      over(
        at.map(({ blocks }) => blocks!),
        NOISE.blocks + LEVELS * fewest('lookUps') + fewest('rows'),
      ),
    )
  }
  if (at.every(({ bytes }) => bytes !== undefined))
    shapes.push(
      over(
        at.map(({ bytes }) => bytes!),
        NOISE.bytes,
      ),
    )
  return worst(...shapes)

  function over(values: number[], noise: number): Shape {
    return shapeOf(sizes, values, noise)
  }
}

/**
 * Whether a page that grew up to the last size is full there: with still more rows it grows by less than a quarter of what a line would have added.
 * `at` has the sample of the further size last.
 */
export function isFull({ at }: Pick<Row, 'at'>, sizes: readonly number[], further: number): boolean {
  const [middle, last] = [Math.floor((sizes.length - 1) / 2), sizes.length - 1]
  if (!at[last + 1]) return false
  const steps = (further - sizes[last]!) / (sizes[last]! - sizes[middle]!)
  const stays = (noise: number, figureOf: (sample: Sample) => number | undefined) => {
    const [before, then, now] = [at[middle]!, at[last]!, at[last + 1]!].map(figureOf)
    if (before === undefined || then === undefined || now === undefined) return true
    return now - then <= Math.max(noise, ((then - before) * steps) / 4)
  }
  return (
    stays(NOISE.rows, ({ looked }) => looked?.rows) &&
    stays(NOISE.bytes, ({ bytes }) => bytes) &&
    stays(NOISE.blocks + LEVELS * (at[last]!.looked?.lookUps ?? 0), ({ blocks }) => blocks)
  )
}

/** Whether it looks at ever more rows, be they entries of an index of which a block holds hundreds. */
export const looksAtMore = ({ at }: Row, sizes: readonly number[]) => {
  const rows = at.slice(0, sizes.length).map(({ looked }) => looked?.rows ?? 0)
  return shapeOf(sizes, rows, NOISE.rows) === 'linear'
}

/** One line a row; says which calls that a screen waits for are linear. Those that seemed so were asked again at the further size. */
export function printRows(rows: Row[], sizes: number[], inTime: boolean, further: number): string[] {
  const linear: string[] = []
  console.log(
    `grows   waits   p95 in ms, rows looked at and blocks read, at ${sizes.join(' / ')} rows; then the control's p95 in the same moment`,
  )
  for (const row of rows) {
    if (row.at.length < sizes.length || row.refused) {
      console.log(`${'-'.padEnd(7)} ${row.waits.padEnd(7)} ${row.name}: ${row.refused ?? 'not at every size'}`)
      continue
    }
    const grows = shapeOfRow({ at: row.at.slice(0, sizes.length) }, sizes, inTime)
    const shape = row.at.length > sizes.length && isFull(row, sizes, further) ? 'bounded' : grows
    const ms = row.at.map(({ ms }) => p95(ms).toFixed(1)).join(' / ')
    const blocks = row.at.map(({ blocks }) => blocks ?? '-').join(' / ')
    const looked = row.at.map(({ looked }) => looked?.rows ?? '-').join(' / ')
    const control = row.at.map(({ control }) => p95(control).toFixed(1)).join(' / ')
    const notes = row.at.map(({ note }) => note).filter(Boolean)
    console.log(
      `${shape.padEnd(7)} ${row.waits.padEnd(7)} ${row.name}: ${ms} ms, ${looked} rows, ${blocks} blocks (${control} ms)${notes.length ? `; ${notes.join(' / ')}` : ''}`,
    )
    if (shape === 'linear' && row.at.at(-1)!.heaviest) console.log(`        ${row.at.at(-1)!.heaviest!.replace(/\s+/g, ' ').slice(0, 600)}`)
    if (shape === 'linear' && row.waits === 'screen') linear.push(row.name)
  }
  const timed = rows.filter(({ refused, at }) => !refused && at.length >= sizes.length)
  const screens = timed.filter(({ waits }) => waits === 'screen')
  const slow = screens.filter(({ at }) => p95(at[sizes.length - 1]!.ms) > 50)
  console.log(
    `${timed.length} timed, ${screens.length} of them of screens; p95 above 50 ms at ${sizes.at(-1)} rows: ${slow.map(({ name }) => name).join(', ') || 'none'}`,
  )
  printTicks(timed, sizes)
  const more = screens.filter((row) => looksAtMore(row, sizes) && !isFull(row, sizes, further))
  console.log(`few blocks, but ever more rows in them: ${more.map(({ name }) => name).join(', ') || 'none'}`)
  console.log(`a screen waits for ${linear.length ? `linear work: ${linear.join(', ')}` : 'nothing that is linear'}`)
  return linear
}

/** The share of a core that all periodic jobs take, were they nothing but work: their waiting counts too. */
function printTicks(timed: Row[], sizes: number[]): void {
  const jobs = timed.flatMap(({ name, at, everyMs }) =>
    everyMs ? [{ name, shares: at.slice(0, sizes.length).map(({ ms }) => ms[0]! / everyMs) }] : [],
  )
  if (!jobs.length) return
  const percent = (share: number) => `${(share * 100).toFixed(2)} %`
  const all = sizes.map((_, n) => percent(jobs.reduce((sum, { shares }) => sum + shares[n]!, 0)))
  const most = jobs.toSorted((a, b) => b.shares.at(-1)! - a.shares.at(-1)!).slice(0, 3)
  console.log(
    `periodic jobs take ${all.join(' / ')} of a core; the most: ${most.map(({ name, shares }) => `${name} ${percent(shares.at(-1)!)}`).join(', ')}`,
  )
}
