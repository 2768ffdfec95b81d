import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A platform with settings of its own, for what the shared one cannot be. */
export async function startOwnPlatform(settings: Record<string, string>): Promise<{ address: string; stop(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'operon-own-'))
  chmodSync(dataDir, 0o755)
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', PUBLIC_URL: '', LOG_LEVEL: 'error', ...settings }
  const script = resolve(import.meta.dirname, '../../deploy/src/all-in-one.ts')
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const address = await readyAt(child)
  return {
    address,
    async stop() {
      if (child.exitCode === null) {
        const gone = new Promise((done) => child.once('exit', done))
        child.kill('SIGTERM')
        await gone
      }
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function readyAt(child: ChildProcess): Promise<string> {
  return new Promise((done, failed) => {
    let output = ''
    child.stdout!.on('data', (chunk) => {
      output += chunk
      const url = /ready at (http\S+)/.exec(output)?.[1]
      if (url) done(url)
    })
    child.once('exit', (code) => failed(new Error(`the platform ended with ${code}: ${output}`)))
  })
}
