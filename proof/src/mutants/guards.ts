export type Guard = { file: string; line: number; text: string; broken: string }

// Columns that decide whose a row is, or whether its time or turn has passed: a `where` on one of them is a guard.
const guarding = /^\s*\.where\(\s*['"](?:[\w.]+\.)?(?:user_id|owner_id|status|state|version|generation|\w*(?:until|expires_at|_at))['"]/
const complete = /\)$/

/** The guards of one file, each with the line that stands in its place once it is broken. */
export function guardsOf(file: string, text: string): Guard[] {
  return text.split('\n').flatMap((line, at) => {
    const broken = breakLine(line)
    return broken === null ? [] : [{ file, line: at + 1, text: line, broken }]
  })
}

function breakLine(line: string): string | null {
  // A line that only passes an error on is no guard.
  const refusal = /^(\s*)if \((.+)\) (throw (?!error\b)|return (?:null|false|refuse)\b)(.*)$/.exec(line)
  if (refusal) return `${refusal[1]}if (false && (${refusal[2]})) ${refusal[3]}${refusal[4]}`
  if (guarding.test(line) && complete.test(line) && balanced(line)) return ''
  return null
}

/** One whole call: a line that opens a bracket for the next cannot be taken out alone. */
function balanced(line: string): boolean {
  let depth = 0
  for (const sign of line) {
    if (sign === '(') depth++
    if (sign === ')') depth--
    if (depth < 0) return false
  }
  return depth === 0
}
