import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { advisoryFile, gravestHoles } from './advisories.ts'
import { checkBoundaries } from './boundaries.ts'
import { checkDeclarations, checkFamilies } from './declarations.ts'
import { staleFiles } from './generate.ts'
import { readImages, unfilled } from './images.ts'
import { readLock } from './sbom.ts'

/** `note`: what a reader should know although nothing is wrong. */
type Outcome = { ok: boolean; output: string; note?: string }

const root = resolve(import.meta.dirname, '../..')
const bin = (name: string) => join(root, 'node_modules/.bin', name)
const checks: [string, () => Promise<Outcome>][] = [
  [
    'format and lint',
    () => command(bin('biome'), ['check', '--diagnostic-level=warn', '--error-on-warnings', ...colours('--colors=force')]),
  ],
  ['types, server', () => command(bin('tsc'), ['-p', 'tsconfig.json', ...colours('--pretty')])],
  ['types, web', () => command(bin('tsc'), ['-p', 'web/tsconfig.json', ...colours('--pretty')])],
  ['boundaries', boundaries],
  ['declarations', declarations],
  ['generated files', generated],
  ['advisories', advisories],
]

const results = await Promise.all(
  checks.map(async ([name, run]) => {
    const started = performance.now()
    const outcome = await run()
    return { name, seconds: ((performance.now() - started) / 1000).toFixed(1), ...outcome }
  }),
)
for (const { output, ok } of results) if (!ok) console.log(output)
for (const { name, ok, seconds, note } of results) {
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(18)} ${seconds} s`)
  if (note) console.log(`       ${note}`)
}
process.exitCode = results.every((result) => result.ok) ? 0 : 1

async function boundaries(): Promise<Outcome> {
  const broken = checkBoundaries(root)
  return { ok: broken.length === 0, output: broken.map(({ from, line, rule }) => `${from}:${line}  ${rule}`).join('\n') }
}

async function generated(): Promise<Outcome> {
  const stale = await staleFiles()
  const open = unfilled()
  return {
    ok: stale.length === 0,
    output: stale.map((path) => `${path} is not as the list of services wants it: npm run generate`).join('\n'),
    ...(open.length && {
      note: `${open.length} of ${readImages().size} images have no digest in deploy/images.lock (npm run images, where Docker can pull)`,
    }),
  }
}

async function advisories(): Promise<Outcome> {
  const holes = gravestHoles(readLock())
  if (holes === null) return { ok: true, output: '', note: `no advisories were looked at: there is no ${advisoryFile()} (or ADVISORIES)` }
  return {
    ok: holes.length === 0,
    output: holes.map(({ id, name, version, severity }) => `${name} ${version}: ${severity}, ${id}`).join('\n'),
  }
}

async function declarations(): Promise<Outcome> {
  const missing = [...checkDeclarations(), ...checkFamilies()]
  return { ok: missing.length === 0, output: missing.join('\n') }
}

function command(program: string, args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => resolve({ ok: false, output: error.message }))
    child.on('exit', (code) => resolve({ ok: code === 0, output }))
  })
}

function colours(flag: string): string[] {
  return process.stdout.isTTY ? [flag] : []
}
