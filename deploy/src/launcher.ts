import { existsSync } from 'node:fs'
import { facesPeople, SetupError } from '@operon/kit/config'
import { portProblem } from '@operon/kit/ports'
import { say } from './log.ts'
import { abandonPostgres } from './postgres.ts'

// No email has to be fetched, and every visitor may open a demo. Never where real people come.
const ownMachine = { AUTH_AUTOCONFIRM: 'true', DEMO_ACCOUNTS: 'true' }

/** The environment of a launcher: the shell's over `.env` over what suits a machine of one's own. */
export function launcherEnv(defaults: Record<string, string> = {}): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''))
  return { ...(facesPeople(given) ? {} : ownMachine), ...defaults, ...given }
}

export async function demandPort(port: number, host: string, { variable = 'PORT', command = 'npm start' } = {}): Promise<void> {
  const problem = port === 0 ? null : await portProblem(port, host)
  if (!problem) return
  if (problem === 'EADDRINUSE')
    throw new SetupError(
      `Port ${port} is taken by another program: set ${variable} to a free one, for example ${variable}=${port + 1} ${command}`,
    )
  if (problem === 'EACCES') throw new SetupError(`Port ${port} needs more rights than this user has: set PORT to one above 1023`)
  if (problem === 'EADDRNOTAVAIL' || problem === 'ENOTFOUND') throw new SetupError(`HOST: ${host} is no address of this machine`)
  throw new SetupError(`Port ${port} on ${host} cannot be used: ${problem}`)
}

/** Expected failures are one clear line, anything else keeps its stack; both end with a code. */
export function exitWith(error: unknown): never {
  console.error(error instanceof SetupError ? `operon: ${error.message}` : error)
  process.exit(1)
}

/**
 * The first signal drains, the second forces. The bootstrap's end counts as a signal, so that killing it leaves nothing behind.
 */
export function stopOnSignals(stop: () => Promise<unknown>, force: () => void = abandonPostgres, withinMs = 30_000) {
  let stopping = false
  const leave = (code: number) => {
    force()
    process.exit(code)
  }
  const begin = (why: string) => {
    if (stopping) return leave(1)
    stopping = true
    say(`\noperon: stopping (${why}; again to force)`)
    setTimeout(() => leave(1), withinMs).unref()
    stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        leave(1)
      },
    )
  }
  process.on('SIGINT', () => begin('interrupted'))
  process.on('SIGTERM', () => begin('asked to end'))
  process.on('SIGHUP', () => begin('the terminal closed'))
  process.on('disconnect', () => begin('its starter ended'))
  process.channel?.unref()
  process.on('uncaughtException', (error) => {
    console.error('operon: unexpected, stopping', error)
    leave(1)
  })
  // A closed pipe is how `npm start | head` ends.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
