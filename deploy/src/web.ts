import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SetupError } from '@operon/kit/config'

const root = resolve(import.meta.dirname, '../..')
const web = join(root, 'web')
export const webDist = join(web, 'dist')
const stamp = join(webDist, '.stamp')

/** Builds the web app when what it is made from has changed. In a process of its own: the bundler would stay in memory. */
export async function buildWebIfChanged(log: (line: string) => void): Promise<void> {
  // An image carries the built app and not its sources.
  if (!existsSync(join(web, 'build.ts'))) return
  const wanted = fingerprint()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  log('Building the web app (only when it has changed)')
  const started = Date.now()
  await run(join(web, 'build.ts'))
  writeFileSync(stamp, wanted)
  log(`Built the web app in ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

function run(script: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script], {
      cwd: web,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: 'production' },
    })
    // Ctrl-C in the middle of a build leaves no builder behind.
    const end = () => child.kill('SIGKILL')
    process.once('exit', end)
    child.once('exit', () => process.off('exit', end))
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new SetupError(`The web app did not build:\n${output.trim()}`))))
  })
}

function fingerprint(): string {
  const hash = createHash('sha256')
  for (const path of [...inputs(web), ...inputs(join(root, 'libs/contracts/src')), join(root, 'pnpm-lock.yaml')].sort()) {
    hash.update(path.slice(root.length)).update(readFileSync(path))
  }
  return hash.digest('hex')
}

function inputs(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (['node_modules', 'dist', '.cache', 'e2e', 'shots', 'test-results'].includes(entry.name) || /\.test\.tsx?$/.test(entry.name))
      return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? inputs(path) : [path]
  })
}
