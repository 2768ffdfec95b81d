import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { checkBoundaries } from './boundaries.ts'
import { checkDeclarations, checkFamilies } from './declarations.ts'

type Outcome = { ok: boolean; output: string }

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
]

const results = await Promise.all(
  checks.map(async ([name, run]) => {
    const started = performance.now()
    const outcome = await run()
    return { name, seconds: ((performance.now() - started) / 1000).toFixed(1), ...outcome }
  }),
)
for (const { output, ok } of results) if (!ok) console.log(output)
for (const { name, ok, seconds } of results) console.log(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(18)} ${seconds} s`)
process.exitCode = results.every((result) => result.ok) ? 0 : 1

async function boundaries(): Promise<Outcome> {
  const broken = checkBoundaries(root)
  return { ok: broken.length === 0, output: broken.map(({ from, line, rule }) => `${from}:${line}  ${rule}`).join('\n') }
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
