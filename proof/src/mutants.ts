import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { excused } from './mutants/excused.ts'
import { type Guard, guardsOf } from './mutants/guards.ts'
import { loadersOf, testsFor } from './mutants/tests.ts'
import { unpackTree } from './tree.ts'

// `npm run mutants [-- --short] [--seed 7] [--count 50] [--from 0] [--only <part of a path>]`: breaks one guard at a time in a copy of the
// last commit and runs the tests that load its file. A guard that can go without a test failing has survived, and is named. Ends non-zero when one
// survived. With the same seed, --from goes on where an earlier run ended.
const args = process.argv.slice(2)
const option = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined)
const short = args.includes('--short')
const count = Number(option('--count') ?? (short ? 5 : 50))
// CI breaks the same five each time: a commit is judged by what it changed, and the long form looks for the others.
const seed = Number(option('--seed') ?? (short ? 1 : Date.now() % 100_000))
const from = Number(option('--from') ?? 0)
const only = option('--only') ?? ''
console.log(`seed ${seed}`)

const scratch = mkdtempSync(join(tmpdir(), 'operon-mutants-'))
const tree = join(scratch, 'tree')
const report = join(scratch, 'report.json')
const survivors: string[] = []
let loaders = new Map<string, string[]>()
let running: ChildProcess | undefined
/** So many test files run at once. */
const AT_ONCE = 6
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => leave(130))
try {
  if (!unpackTree('HEAD', tree)) throw new Error('the last commit cannot be unpacked')
  loaders = loadersOf(tree, everyFile())
  const guards = sourceFiles().flatMap((file) => guardsOf(file, readFileSync(join(tree, file), 'utf8')))
  const known = guards.filter(({ file, text }) => !excused.some((each) => file === each.file && text.includes(each.text)))
  const chosen = shuffled(known.filter(({ file }) => file.includes(only))).slice(from, from + count)
  console.log(`${chosen.length} of ${known.length} guards`)
  for (const guard of chosen) await breakOne(guard)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
console.log(survivors.length ? `${survivors.length} survived` : 'none survived')
process.exit(survivors.length ? 1 : 0)

async function breakOne({ file, line, text, broken }: Guard) {
  const path = join(tree, file)
  const original = readFileSync(path, 'utf8')
  const lines = original.split('\n')
  lines[line - 1] = broken
  const started = performance.now()
  const seen = await isSeen(
    testsFor(file, loaders),
    () => writeFileSync(path, lines.join('\n')),
    () => writeFileSync(path, original),
  )
  const place = `${file}:${line}`
  if (!seen) survivors.push(place)
  console.log(
    `${seen ? 'seen    ' : 'SURVIVED'} ${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${place}  ${text.trim()}`,
  )
}

/** A few test files at a time, so that the nearest tell at once. One that is red without the break as well has seen nothing. */
async function isSeen(tests: string[], doBreak: () => void, mend: () => void): Promise<boolean> {
  for (let at = 0; at < tests.length; at += AT_ONCE) {
    doBreak()
    const red = await redAmong(tests.slice(at, at + AT_ONCE))
    mend()
    if (red.length && (await redAmong(red)).length === 0) return true
  }
  return false
}

/** Those of these files that fail. Several that do not end in time run again by themselves: one that hangs alone is broken, many on a busy machine are slow. */
async function redAmong(files: string[]): Promise<string[]> {
  const ended = await run(files)
  if (ended === 'green') return []
  if (files.length === 1 || ended === 'red') return redIn(files)
  const red: string[] = []
  for (const file of files) if ((await run([file])) !== 'green') red.push(file)
  return red
}

/** Where the run itself broke off, nothing is told of its files: each may be it. */
function redIn(files: string[]): string[] {
  if (!existsSync(report)) return files
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: { name: string; status: string }[] }
  const red = testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(tree, name))
  return red.length ? red : files
}

function run(files: string[]): Promise<'green' | 'red' | 'unended'> {
  rmSync(report, { force: true })
  return new Promise((resolve) => {
    const vitest = join(tree, 'node_modules/vitest/vitest.mjs')
    const child = spawn(process.execPath, [vitest, 'run', '--bail=1', '--reporter=json', `--outputFile=${report}`, ...files], {
      cwd: tree,
      stdio: 'ignore',
      // No second try: a test that must see a broken guard sees it at once.
      env: { ...process.env, CI: '', OPERON_TEST_PG_KEEP: '1' },
      timeout: 240_000,
    })
    running = child
    child.on('exit', (code) => resolve(code === 0 ? 'green' : code === null ? 'unended' : 'red'))
  })
}

function packages(): string[] {
  return ['libs/kit', 'gateway', ...readdirSync(join(tree, 'services')).map((name) => `services/${name}`)]
}

function sourceFiles(): string[] {
  return packages()
    .filter((home) => home !== 'services/sandbox')
    .flatMap(filesIn)
    .filter((path) => path.endsWith('.ts') && !/\.(test|suite|model)\.ts$|\/(testing|migrations)\/|fixture/.test(path))
}

function everyFile(): string[] {
  return [...packages(), 'deploy'].flatMap(filesIn).filter((path) => path.endsWith('.ts'))
}

function filesIn(home: string): string[] {
  return readdirSync(join(tree, home, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(tree, join(entry.parentPath, entry.name)))
    .sort()
}

/** By what each guard says, so that the choice of a seed stays while guards come and go around it. */
function shuffled(guards: Guard[]): Guard[] {
  const placeOf = ({ file, text }: Guard) => createHash('sha256').update(`${seed} ${file} ${text.trim()}`).digest('hex')
  return guards
    .map((guard) => ({ guard, place: placeOf(guard) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ guard }) => guard)
}

function leave(code: number) {
  running?.kill('SIGKILL')
  // Its own processes may still write for a moment.
  rmSync(scratch, { recursive: true, force: true, maxRetries: 10 })
  process.exit(code)
}
