import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { excused } from './mutants/excused.ts'
import { type Guard, guardsOf } from './mutants/guards.ts'
import { unpackTree } from './tree.ts'

// `npm run mutants [-- --short] [--seed 7] [--count 50] [--from 0] [--only <part of a path>]`: breaks one guard at a time in a copy of the
// last commit and runs the tests beside it. A guard that can go without a test failing has survived, and is named. Ends non-zero when one
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
const survivors: string[] = []
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => leave(130))
try {
  if (!unpackTree('HEAD', tree)) throw new Error('the last commit cannot be unpacked')
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
  writeFileSync(path, lines.join('\n'))
  const started = performance.now()
  // Those in its own folder see it soonest; the rest of its package is asked only where they do not.
  const [beside, others] = testsFor(file)
  const seen = (await fails(beside)) || (await fails(others))
  writeFileSync(path, original)
  const place = `${file}:${line}`
  if (!seen) survivors.push(place)
  console.log(
    `${seen ? 'seen    ' : 'SURVIVED'} ${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${place}  ${text.trim()}`,
  )
}

function testsFor(file: string): [string[], string[]] {
  const home = file
    .split('/')
    .slice(0, file.startsWith('gateway/') ? 1 : 2)
    .join('/')
  const all = filesIn(home).filter((path) => path.endsWith('.test.ts') && !/\.faults\.|\.proof\./.test(path))
  const beside = all.filter((path) => dirname(path) === dirname(file))
  return [beside, all.filter((path) => !beside.includes(path))]
}

/** True when one of these tests fails. A run that does not end is a failure too: the broken guard hung it. */
function fails(files: string[]): Promise<boolean> {
  if (files.length === 0) return Promise.resolve(false)
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(tree, 'node_modules/vitest/vitest.mjs'), 'run', '--bail=1', '--reporter=dot', ...files], {
      cwd: tree,
      stdio: 'ignore',
      // No second try: a test that must see a broken guard sees it at once.
      env: { ...process.env, CI: '', OPERON_TEST_PG_KEEP: '1' },
      timeout: 240_000,
    })
    child.on('exit', (code) => resolve(code !== 0))
  })
}

function sourceFiles(): string[] {
  return ['libs/kit', 'gateway', ...readdirSync(join(tree, 'services')).map((name) => `services/${name}`)]
    .filter((home) => home !== 'services/sandbox')
    .flatMap(filesIn)
    .filter((path) => path.endsWith('.ts') && !/\.(test|suite)\.ts$|\/(testing|migrations)\/|fixture/.test(path))
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
  rmSync(scratch, { recursive: true, force: true })
  process.exit(code)
}
