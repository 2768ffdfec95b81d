export type Shape = 'flat' | 'log' | 'linear'

/**
 * How a figure grows over the sizes at which it was taken, whatever the machine: how much of its growth came with the last step, where a line
 * would have given as much as the rows, and a logarithm as much as their power. Growth within `noise` is none.
 */
export function shapeOf(sizes: readonly number[], values: readonly number[], noise: number): Shape {
  const [first, middle, last] = [0, Math.floor((sizes.length - 1) / 2), sizes.length - 1] as const
  const whole = values[last]! - values[first]!
  if (whole <= noise || values[last]! <= values[first]! * 1.25) return 'flat'
  const part = Math.max(values[middle]! - values[first]!, noise / 2)
  const line = (sizes[last]! - sizes[first]!) / (sizes[middle]! - sizes[first]!)
  const log = Math.log(sizes[last]! / sizes[first]!) / Math.log(sizes[middle]! / sizes[first]!)
  return whole / part > Math.sqrt(line * log) ? 'linear' : 'log'
}

const ORDER: Shape[] = ['flat', 'log', 'linear']
export const worst = (...shapes: Shape[]): Shape => ORDER[Math.max(...shapes.map((shape) => ORDER.indexOf(shape)))]!

export function p95(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.95) - 1)]!
}
