/** An interval around a median, by drawing the sample again and again from itself. */
type Interval = { low: number; median: number; high: number }

const DRAWS = 2000

/** The median of what was measured, and where `confidence` of the medians of drawn samples lie. */
export function medianInterval(measured: readonly number[], confidence = 0.99): Interval {
  const sample = Float64Array.from(measured)
  const drawn = new Float64Array(sample.length)
  const medians = Float64Array.from({ length: DRAWS }, () => {
    for (let at = 0; at < drawn.length; at++) drawn[at] = sample[Math.floor(Math.random() * sample.length)]!
    return medianOf(drawn)
  }).sort()
  const at = (share: number) => medians[Math.min(DRAWS - 1, Math.floor(share * DRAWS))]!
  return { low: at((1 - confidence) / 2), median: medianOf(sample), high: at((1 + confidence) / 2) }
}

/** By how much the first of each pair took longer. Both are measured one right after the other, so a busy machine slows both. */
export const differenceInterval = (first: readonly number[], second: readonly number[], confidence = 0.999): Interval =>
  medianInterval(
    first.map((ms, at) => ms - second[at]!),
    confidence,
  )

export const overlap = (a: Interval, b: Interval): boolean => Math.max(a.low, b.low) <= Math.min(a.high, b.high)
export const holdsZero = ({ low, high }: Interval): boolean => low <= 0 && high >= 0

function medianOf(values: Float64Array): number {
  values.sort()
  const half = Math.floor(values.length / 2)
  return values.length % 2 ? values[half]! : (values[half - 1]! + values[half]!) / 2
}
