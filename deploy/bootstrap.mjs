// Runs on whatever Node is there (20.20 or later): installs what changed, then hands over to the project's own Node 24.
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
const program = ['deploy', 'proof']
  .map((folder) => join(root, folder, 'src', `${{ start: 'all-in-one' }[command] ?? command}.ts`))
  .find(existsSync)
if (!command || !program) fail(`There is no command "${command}". There are: ${commands().join(', ')}`)
install()
run()

function install() {
  const wanted = fingerprint()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(nodeBinary())) return
  const first = !existsSync(modules)
  say(first ? 'First start: installing the packages (about half a minute, once)' : 'The packages changed: installing')
  const started = Date.now()
  rmSync(stamp, { force: true })
  const reporter = process.stdout.isTTY ? 'default' : 'append-only'
  const done = spawnSync('npx', ['--yes', pnpm, 'install', '--frozen-lockfile', `--reporter=${reporter}`], {
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
  mkdirSync(modules, { recursive: true })
  writeFileSync(stamp, wanted)
  say(`Installed in ${((Date.now() - started) / 1000).toFixed(0)} s`)
}

function run() {
  const env = {
    NODE_COMPILE_CACHE: join(modules, '.cache', 'node'),
    ...process.env,
    PATH: [join(modules, '.bin'), process.env.PATH].join(delimiter),
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
    'proof',
    'web',
    ...['libs', 'services'].flatMap((group) => readdirSync(join(root, group)).map((name) => join(group, name))),
  ]
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...folders.map((folder) => join(folder, 'package.json'))]
  for (const file of files.sort()) if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function nodeBinary() {
  return join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
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
