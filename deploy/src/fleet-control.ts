import { existsSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type ProcessName, serviceNames } from '@operon/contracts/services'
import { GatewaySettings } from '@operon/gateway/settings'
import { type Env, KitConfig, SetupError } from '@operon/kit/config'
import { RateSettings } from '@operon/kit/limits'
import { type openMembers, ownRoot, upstreamOf } from './fleet-members.ts'
import { checkEnv, loadDefinitions, namesIn } from './services.ts'

export type Counts = Partial<Record<ProcessName, number>>

export const commands = ['scale', 'restart', 'set', 'status'] as const
const names: readonly string[] = [...serviceNames, 'gateway']
/** Where a fleet is and listens is settled when it starts. */
const settled = new Set([
  'PORT',
  'HOST',
  'DATA_DIR',
  'PUBLIC_URL',
  'MASTER_KEY',
  'DATABASE_URL',
  'BUS_URL',
  'QUEUE_URL',
  'CACHE_URL',
  'STORAGE_URL',
])

const everybodys = new Set([...namesIn(KitConfig), ...namesIn(RateSettings)])

type Running = {
  env: Env
  members: ReturnType<typeof openMembers>
  /** Where the launcher keeps the web app built: before gateways start again. */
  buildWeb: () => Promise<void>
  say: (line: string) => void
}

/** Runs one command of an operator on a running fleet, and says what came of it. */
export async function control(args: string[], { env, members, buildWeb, say }: Running): Promise<void> {
  const [command, ...rest] = args
  if (command === 'status') {
    for (const [name, said] of await members.versions()) say(`${name.padEnd(16)} ${said}`)
    return
  }
  if (command === 'scale') {
    const counts = Object.entries(readCounts(rest))
    if (!counts.length) throw new SetupError('say how many of which, as in: scale ai-gateway=3')
    for (const [service, count] of counts) {
      await members.scale(service as ProcessName, count)
      say(`${service} runs ${count === 1 ? 'once' : `${count} times`}`)
    }
    return
  }
  if (command === 'restart') {
    const unknown = rest.find((name) => !names.includes(name))
    if (unknown) throw new SetupError(`"${unknown}" is not understood: name services of ${names.join(', ')}, or none for all of them`)
    const services = members.running().filter((service) => rest.length === 0 || rest.includes(service))
    if (!rest.length && !env.SERVICES)
      for (const service of newServices()) {
        await members.join(service)
        say(`${service} is new in this version, and runs`)
      }
    if (services.includes('gateway')) await buildWeb()
    // The stand-in for providers first: what asks it may be newer than it, never older.
    await members.roll(services.toSorted((a, b) => Number(b === 'sandbox') - Number(a === 'sandbox')))
    say(`restarted: ${services.join(', ')}`)
    return
  }
  if (command === 'set') return change(readValues(rest), { env, members, say })
  throw new SetupError(`"${command}" is not understood: say ${commands.join(', ')}`)
}

/** Services of the tree as it is now that nobody knew when this launcher began. */
export function newServices(root = ownRoot, known = names): ProcessName[] {
  const found = readdirSync(join(root, 'services')).filter((name) => existsSync(join(root, 'services', name, 'src/main.ts')))
  return found.filter((name) => !known.includes(name)) as ProcessName[]
}

/** Those that read a setting restart one after another; where one does not start with it, what was before comes back. */
async function change(values: Env, { env, members, say }: Omit<Running, 'buildWeb'>) {
  const elsewhere = serviceNames.filter((service) => upstreamOf(service) in values)
  if (elsewhere.length === Object.keys(values).length) {
    for (const service of elsewhere) members.beside(service, values[upstreamOf(service)]!)
    return say(`${elsewhere.join(', ')}: the gateways use what is named as well, from the next second on. Put it into .env as well`)
  }
  const definitions = await loadDefinitions()
  checkEnv({ ...env, ...values }, definitions)
  const readers = new Set<ProcessName>()
  for (const name of Object.keys(values)) {
    const own = definitions.filter(({ config }) => namesIn(config).includes(name)).map((definition) => definition.name)
    const all = everybodys.has(name) ? members.running() : own
    const known = [...all, ...(namesIn(GatewaySettings).includes(name) ? (['gateway'] as const) : [])]
    if (!known.length || settled.has(name) || name.startsWith('DATABASE_URL'))
      throw new SetupError(
        `${name} cannot be set while the fleet runs: ${known.length ? 'stop it, change .env and start it again' : 'nothing reads it'}`,
      )
    for (const service of known) readers.add(service)
  }
  const before = Object.fromEntries(Object.keys(values).map((name) => [name, env[name]]))
  const services = members.running().filter((service) => readers.has(service))
  Object.assign(env, values)
  try {
    await members.roll(services)
  } catch (error) {
    Object.assign(env, before)
    await members.roll(services)
    throw error
  }
  say(
    `${Object.keys(values).join(', ')} set, read by ${services.join(', ')}. Put it into .env as well: a fleet that is started anew reads that`,
  )
}

function readValues(args: string[]): Env {
  const values = args.map((arg) => /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(arg))
  if (!args.length || values.includes(null)) throw new SetupError('say what to set, as in: set RATE_READ=600/1s')
  return Object.fromEntries(values.map((value) => [value![1]!, value![2]!]))
}

/** `ai-gateway=2 gateway=2` from the command line. */
export function readCounts(args: string[]): Counts {
  return Object.fromEntries(
    args.map((arg) => {
      const [name = '', count] = arg.split('=')
      if (!names.includes(name) || !/^[1-9]\d?$/.test(count ?? ''))
        throw new SetupError(`"${arg}" is not understood: say <service>=<count>, with a service of ${names.join(', ')}`)
      return [name, Number(count)]
    }),
  )
}

const socketOf = (run: string) => join(run, 'fleet.sock')

type Listening = Omit<Running, 'say'> & { log: (line: string) => void }

/** Takes commands from whoever may open the fleet's folder, one after another. */
export async function listenForCommands(run: string, { env, members, buildWeb, log }: Listening) {
  let turn: Promise<void> = Promise.resolve()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    const lines = createInterface(socket)
    lines.on('error', () => {})
    lines.once('line', (line) => {
      const say = (text: string) => void socket.write(`${JSON.stringify({ text })}\n`)
      turn = turn.then(async () => {
        try {
          const args = JSON.parse(line) as string[]
          log(
            `asked to ${args[0]} ${args
              .slice(1)
              .map((arg) => arg.replace(/=.*/s, args[0] === 'set' ? '=…' : '$&'))
              .join(' ')}`,
          )
          await control(args, { env, members, buildWeb, say })
          socket.end(`${JSON.stringify({ code: 0 })}\n`)
        } catch (error) {
          say(error instanceof SetupError ? error.message : String((error as Error).stack))
          socket.end(`${JSON.stringify({ code: 1 })}\n`)
        }
      })
    })
  })
  rmSync(socketOf(run), { force: true })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socketOf(run), resolve))
  return () => {
    server.close()
    rmSync(socketOf(run), { force: true })
  }
}

/** The other end: hands the command to the fleet that runs, and prints what it says. Resolves with the code to end with. */
export function tellFleet(run: string, args: string[], say: (line: string) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketOf(run))
    socket.once('error', () => reject(new SetupError(`no fleet runs here (${run}): start one with npm run fleet, or set DATA_DIR`)))
    socket.once('connect', () => socket.write(`${JSON.stringify(args)}\n`))
    let code = 1
    createInterface(socket)
      .on('error', () => {})
      .on('line', (line) => {
        const said = JSON.parse(line) as { text?: string; code?: number }
        if (said.text !== undefined) say(said.text)
        if (said.code !== undefined) code = said.code
      })
      .once('close', () => resolve(code))
  })
}
