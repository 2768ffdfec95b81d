/** The part of `size` bytes that a `Range` asks for, both ends included; null where all of it is the answer. */
export function rangeOf(header: string | undefined, size: number): { from: number; to: number } | 'unsatisfiable' | null {
  // Several parts, or a unit that is none of ours: a server may answer with the whole.
  const matched = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  if (!matched || matched[0] === 'bytes=-') return null
  const [first, last] = [matched[1]!, matched[2]!]
  if (first === '') return last === '0' || size === 0 ? 'unsatisfiable' : { from: Math.max(0, size - Number(last)), to: size - 1 }
  if (last !== '' && Number(last) < Number(first)) return null
  if (Number(first) >= size) return 'unsatisfiable'
  return { from: Number(first), to: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}
