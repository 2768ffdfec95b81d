const levels: Record<number, string> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' }
const colours: Record<string, number> = { WARN: 33, ERROR: 31, FATAL: 31 }
const coloured = process.stdout.isTTY && !process.env.NO_COLOR

// Asked each time, since `.env` is read after this file.
const wantsJson = () => process.env.LOG_FORMAT === 'json'

/** A launcher's own line; a program that reads them gets one JSON object a line. */
export const say = (line: string) => console.log(wantsJson() ? asJson(line) : line)

function asJson(text: string, service = 'launcher'): string {
  if (parse(text)) return text
  return JSON.stringify({ level: 30, time: new Date().toISOString(), service, msg: text.trim() })
}

/** One JSON line of a service as one line for a person; what is not JSON passes as it is. */
export function readable(line: string, from = ''): string {
  if (wantsJson()) return asJson(line, from || undefined)
  const entry = parse(line)
  if (!entry) return prefixed(from, line)
  const { level, time, msg, service, err, trace: _trace, ...rest } = entry
  const name = levels[level as number] ?? ''
  const details = Object.entries(rest).map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const { message, stack } = (typeof err === 'string' ? { message: err } : (err ?? {})) as { message?: string; stack?: string }
  const text = [String(time).slice(11, 23), paint(name.padEnd(5), colours[name]), msg, ...details, message && `(${message})`]
    .filter(Boolean)
    .join(' ')
  const trail = stack && (level as number) >= 50 ? `\n${stack.split('\n').slice(1, 7).join('\n')}` : ''
  return prefixed(from || String(service ?? 'gateway'), text + trail)
}

/** Cuts a child's output into lines. */
export function lineReader(onLine: (line: string) => void): (chunk: Buffer | string) => void {
  let rest = ''
  return (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim()) onLine(line)
  }
}

function parse(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

const prefixed = (from: string, text: string) => (from ? `${paint(from.padEnd(14), 36)} ${text}` : text)
const paint = (text: string, colour?: number) => (coloured && colour ? `\x1b[${colour}m${text}\x1b[0m` : text)
