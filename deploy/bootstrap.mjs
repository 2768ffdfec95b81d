// Runs on whatever Node is there (20.20 or later): installs what the command needs, then hands over to a Node 24.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const stamp = join(modules, '.operon-stamp')
const pnpm = 'pnpm@12.21.0'
const starter = process.ppid
const [command = '', ...rest] = process.argv.slice(2)

// `npm start` and `npm test` begin files of a plainer name.
const programs = ['deploy', 'proof'].map((folder) => join(root, folder, 'src', `${{ start: 'all-in-one' }[command] ?? command}.ts`))
const program = programs.find((file) => existsSync(file))
if (!command || !program) fail(`There is no command "${command}". There are: ${commands().join(', ')}`)
// A machine that has Node 24 uses its own; the one that is installed otherwise is most of the small set.
const ownNode = Number(process.versions.node.split('.')[0]) >= 24
install()
run()

/** The commands that run the product get what running needs; the others bring compilers, linters and browsers' drivers as well. */
function install() {
  const packages = fingerprint()
  const found = installed()
  const set =
    ['start', 'fleet', 'replay', 'keys', 'secrets', 'backup', 'restore', 'move-files', 'doctor'].includes(command) && found?.set !== 'all'
      ? 'start'
      : 'all'
  const node = !ownNode || found?.node === true
  const needsNode = !ownNode && !existsSync(nodeBinary())
  if (found?.packages === packages && (found.set === 'all' || set === 'start') && !needsNode) return
  say(
    found === null
      ? 'First start: installing the packages (about half a minute, once)'
      : found.packages === packages
        ? `Installing what "${command}" needs besides`
        : 'The packages changed: installing',
  )
  const started = Date.now()
  // An install that is cut off may leave packages of two versions; one that only adds leaves what was there.
  mkdirSync(modules, { recursive: true })
  if (found?.packages !== packages) writeFileSync(stamp, JSON.stringify({ packages: '', set, node }))
  const reporter = process.stdout.isTTY ? 'default' : 'append-only'
  const which = set === 'start' ? ['--prod', '--filter', '!@operon/proof'] : []
  if (!node) which.push('--filter', '!@operon/node')
  // Packages of the small set come back whole.
  if (set === 'all' && found?.set === 'start') which.push('--force')
  const done = spawnSync('npx', ['--yes', pnpm, 'install', '--frozen-lockfile', `--reporter=${reporter}`, ...which], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: {
      ...process.env,
      npm_config_loglevel: 'error',
      npm_config_update_notifier: 'false',
      npm_config_fund: 'false',
      ...(!process.stdin.isTTY && { CI: '1' }),
    },
  })
  if (done.error?.code === 'ENOENT') fail('npx was not found: install npm, which comes with Node')
  if (done.status !== 0)
    fail('The packages could not be installed (the reason is above). It needs the npm registry once: check the network and run this again')
  if (!existsSync(nodeBinary()))
    fail(
      `This machine has Node ${process.versions.node}, and npm has no Node 24 for ${process.platform} ${process.arch}: install Node 24, then run this again`,
    )
  // Headers for compiling addons, a third of that package: nothing here is compiled.
  if (!ownNode) rmSync(join(nodePackage(), 'include'), { recursive: true, force: true })
  // Source maps and declarations of packages, a sixth of everything: only debuggers and compilers read them.
  if (set === 'start')
    for (const { name, parentPath } of readdirSync(modules, { recursive: true, withFileTypes: true }))
      if (/\.(map|d\.[cm]?ts)$/.test(name)) rmSync(join(parentPath, name), { recursive: true, force: true })
  writeFileSync(stamp, JSON.stringify({ packages, set, node }))
  say(`Installed in ${((Date.now() - started) / 1000).toFixed(0)} s`)
}

/** The installed set, as the last install recorded it. Packages that somebody installed by hand are never taken away: they count as all. */
function installed() {
  if (!existsSync(join(modules, '.modules.yaml'))) return null
  try {
    return JSON.parse(readFileSync(stamp, 'utf8'))
  } catch {
    return { packages: '', set: 'all', node: true }
  }
}

function run() {
  const env = {
    NODE_COMPILE_CACHE: join(modules, '.cache', 'node'),
    ...process.env,
    PATH: [dirname(nodeBinary()), join(modules, '.bin'), process.env.PATH].join(delimiter),
  }
  // In a group of its own, since Ctrl-C reaches us, npm and npm's signal to us: the child must hear it once.
  // It hears of our own sudden end by the channel's.
  const child = spawn(nodeBinary(), [program, ...rest], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: process.platform !== 'win32',
  })
  let last = 0
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (Date.now() - last < 400) return
      last = Date.now()
      child.kill(signal)
    })
  }
  // npm passes a signal of its own to the shell between us, which dies of it and tells nobody.
  if (process.env.npm_lifecycle_event) {
    const orphaned = setInterval(() => {
      if (process.ppid === starter) return
      clearInterval(orphaned)
      child.kill('SIGTERM')
    }, 250)
  }
  child.on('error', (error) => fail(`${nodeBinary()} did not start: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}

function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  const folders = [
    '.',
    'gateway',
    'deploy',
    'deploy/node',
    'proof',
    'web',
    ...['libs', 'services'].flatMap((group) => readdirSync(join(root, group)).map((name) => join(group, name))),
  ]
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...folders.map((folder) => join(folder, 'package.json'))]
  for (const file of files.sort()) if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function nodeBinary() {
  return ownNode ? process.execPath : join(nodePackage(), 'bin/node')
}

function nodePackage() {
  const name = process.platform === 'darwin' ? `node-bin-darwin-${process.arch}` : `node-${process.platform}-${process.arch}`
  return join(root, 'deploy/node/node_modules', name)
}

function commands() {
  return Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts)
}

function say(line) {
  console.log(`operon: ${line}`)
}

function fail(line) {
  console.error(`operon: ${line}`)
  process.exit(1)
}
