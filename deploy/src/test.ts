import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { whyNoContainer } from '@operon/kit/testing/containers'
import { say } from './log.ts'
import { findProgram, scratchFolder } from './machine.ts'
import type { StrayError } from './stray-errors.ts'
import {
  addTallies,
  type PlaywrightReport,
  playwrightTally,
  redFiles,
  secondLook,
  type Tally,
  type VitestReport,
  vitestTally,
} from './tally.ts'
import { inTurn, slowProofs } from './turn.ts'
import { buildWebIfChanged } from './web.ts'

const root = resolve(import.meta.dirname, '../..')
const web = join(root, 'web')
const scratch = scratchFolder('test-run')
const children = new Set<ChildProcess>()
// `--all` runs the slow proofs as well; what else is named are files for vitest.
const all = process.argv.includes('--all')
// Then a part of them, where CI says so.
const turn = process.env.OPERON_TURN
const args = process.argv.slice(2).filter((arg) => arg !== '--all')
for (const signal of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.on(signal, () => void leave(130))
process.channel?.unref()

const notRun: string[] = []
const tallies: Tally[] = []
try {
  await buildWebIfChanged(say).catch((error: Error) => {
    tallies.push({ passed: 0, failed: 1, skipped: 0, why: [error.message] })
  })
  tallies.push(await serverTests())
  if (args.length === 0) tallies.push(await browserTests())
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
summary(addTallies(tallies))

async function serverTests(): Promise<Tally> {
  say('operon: server tests')
  const why = await whyNoContainer('minio')
  const proofs = slowProofs()
  const notDue = proofs.length - (all ? inTurn(proofs).length : 0)
  if (notDue && args.length === 0) notRun.push(`${notDue} files of slow proofs: ${howToRunAll()}`)
  if (why) notRun.push(`the file store's suite on MinIO (it ran on s3rver): ${why}; OPERON_TEST_S3 names a server of yours`)
  return onceMore(vitest)
}

async function vitest(files = args): Promise<Tally> {
  const folder = mkdtempSync(join(scratch, 'vitest-'))
  const report = join(folder, 'report.json')
  const strays = join(folder, 'strays.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`, '--reporter=./deploy/src/stray-errors.ts']
  const code = await run(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...files], root, {
    OPERON_TEST_ALL: all ? '1' : '',
    STRAY_ERRORS: strays,
  })
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0, why: [`vitest ended with code ${code} before it could report`] }
  const tally = vitestTally(
    JSON.parse(readFileSync(report, 'utf8')) as VitestReport,
    existsSync(strays) ? (JSON.parse(readFileSync(strays, 'utf8')) as StrayError[]) : [],
  )
  // Something else may fail the run without failing a test.
  return code !== 0 && tally.failed === 0
    ? { ...tally, failed: 1, why: [...tally.why, `vitest ended with code ${code} though no test failed (above)`] }
    : tally
}

/** CI shares its machine with other work: a file that is red there runs once more, without neighbours. Red twice fails; red once is named. */
async function onceMore(tests: (files?: string[]) => Promise<Tally>): Promise<Tally> {
  const first = await tests()
  const files = redFiles(first)
  // More than a handful is no accident, and a file that has no name cannot be asked for.
  if (!process.env.CI || files.length === 0 || files.length > 12) return first
  say(`operon: once more, alone: ${files.join(', ')}`)
  return secondLook(first, await tests(files))
}

async function browserTests(): Promise<Tally> {
  if (!existsSync(join(web, 'playwright.config.ts'))) return { passed: 0, failed: 0, skipped: 0, why: [] }
  // Without the windows that nobody sees, a quarter less work.
  const chromium = findProgram('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
  if (!chromium) {
    const tests = await countBrowserTests()
    notRun.push(`${tests} browser tests: no chromium on PATH`)
    return { passed: 0, failed: 0, skipped: tests, why: [] }
  }
  const shard = turn ? [`--shard=${turn}`] : []
  if (!all || turn)
    notRun.push(
      `slow proofs in a browser, ${globSync('e2e/*.proof.e2e.ts', { cwd: web }).length} files and tests with a tag: ${howToRunAll()}`,
    )
  say('operon: browser tests, against an all-in-one of their own')
  const server = await startServer()
  if (!server) return { passed: 0, failed: 1, skipped: 0, why: ['the all-in-one for the browser tests did not start'] }
  // First side by side, then the tests of what everybody shares, whatever the first ones said.
  const lanes = [await onceMore((files) => playwrightTests(server.url, chromium, 'app', files))]
  for (const lane of all ? ['proofs', 'alone'] : [])
    lanes.push(
      await onceMore((files) => playwrightTests(server.url, chromium, lane, files, ['--no-deps', '--pass-with-no-tests', ...shard])),
    )
  await server.stop()
  return addTallies(lanes)
}

async function playwrightTests(url: string, chromium: string, lane: string, again?: string[], more: string[] = []): Promise<Tally> {
  const report = join(mkdtempSync(join(scratch, 'playwright-')), 'report.json')
  const env = {
    E2E_URL: url,
    CHROMIUM: chromium,
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
    PLAYWRIGHT_JSON_OUTPUT_FILE: report,
    // The quick ones look at everything only where all runs.
    E2E_ALL: all && !(turn && lane === 'app') ? '1' : '',
    E2E_AGAIN: again ? '1' : '',
  }
  const which = again ? ['--no-deps', '--workers=1', ...again] : more
  const code = await run(process.execPath, [playwright(), 'test', '--reporter=list,json', `--project=${lane}`, ...which], web, env)
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0, why: [`playwright ended with code ${code} before it could report`] }
  return playwrightTally(JSON.parse(readFileSync(report, 'utf8')) as PlaywrightReport)
}

async function countBrowserTests(): Promise<number> {
  let output = ''
  await run(
    process.execPath,
    [playwright(), 'test', '--list', '--no-deps', '--reporter=list'],
    web,
    { E2E_URL: 'http://127.0.0.1:1', E2E_ALL: all ? '1' : '' },
    (chunk) => {
      output += chunk
    },
  )
  return Number(/Total: (\d+) test/.exec(output)?.[1] ?? 0)
}

function startServer(): Promise<{ url: string; stop(): Promise<unknown> } | null> {
  const dataDir = join(scratch, 'data')
  const limits = { RATE_AUTH_STRICT: '1000/60s', RATE_PUBLIC_SEND: '1000/60s', RATE_AUTH: '1000/60s', LIMIT_MESSAGE_COOLDOWN_SECONDS: '0' }
  // Tests side by side order failures of providers, each for its own account; a circuit stands before a provider for everybody.
  const circuits = { AI_CIRCUIT_FAILURES: '1000000' }
  const staff = { AUTH_STAFF_EMAILS: 'staff@studio.example' }
  const env = {
    ...process.env,
    ...limits,
    ...circuits,
    ...staff,
    DATA_DIR: dataDir,
    PORT: '0',
    PUBLIC_URL: '',
    LOG_LEVEL: 'error',
    NODE_ENV: 'test',
  }
  // The channel tells it of our sudden end.
  const stdio = ['ignore', 'pipe', 'inherit', 'ipc'] as const
  const child = spawn(process.execPath, [join(root, 'deploy/src/all-in-one.ts')], { cwd: root, env, stdio: [...stdio] })
  children.add(child)
  const gone = new Promise<null>((resolve) => child.once('exit', () => resolve(null)))
  const up = new Promise<{ url: string; stop(): Promise<unknown> }>((resolve) => {
    let output = ''
    child.stdout!.on('data', (chunk) => {
      output += chunk
      const url = /ready at (http\S+)/.exec(output)?.[1]
      if (!url) return
      const stop = () => {
        child.kill('SIGTERM')
        return gone
      }
      resolve({ url, stop })
    })
  })
  return Promise.race([up, gone])
}

function run(
  command: string,
  args: string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
  onOutput?: (chunk: string) => void,
): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', onOutput ? 'pipe' : 'inherit', 'inherit'],
    })
    children.add(child)
    child.stdout?.on('data', onOutput ?? (() => {}))
    child.on('error', () => resolve(1))
    child.on('exit', (code) => {
      children.delete(child)
      resolve(code ?? 1)
    })
  })
}

function howToRunAll(): string {
  return all ? `this run takes part ${turn} (OPERON_TURN), npm test -- --all takes them all` : 'npm test -- --all runs them'
}

function playwright(): string {
  return join(web, 'node_modules/@playwright/test/cli.js')
}

async function leave(code: number) {
  const ends = [...children].map((child) => new Promise((resolve) => child.once('exit', resolve)))
  for (const child of children) child.kill('SIGINT')
  await Promise.all(ends)
  rmSync(scratch, { recursive: true, force: true })
  process.exit(code)
}

function summary({ passed, failed, skipped, why }: Tally) {
  say('')
  for (const line of why) say(line)
  for (const line of notRun) say(`not run: ${line}`)
  // Into a pipe it may take a moment, and the last line is the one that counts.
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`, () => process.exit(failed ? 1 : 0))
}
