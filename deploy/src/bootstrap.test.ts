import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

/** A project with the real bootstrap, programs that say their names, and an installer that writes down what it is asked for. */
function project() {
  const root = mkdtempSync(join(tmpdir(), 'operon-bootstrap-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const folder of ['deploy/src', 'libs/kit', 'services/billing', 'bin']) mkdirSync(join(root, folder), { recursive: true })
  copyFileSync(join(import.meta.dirname, '../bootstrap.mjs'), join(root, 'deploy/bootstrap.mjs'))
  writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts: { start: '', test: '' } }))
  for (const name of ['all-in-one', 'test']) writeFileSync(join(root, `deploy/src/${name}.ts`), `console.log('ran ${name}')`)
  const asked = join(root, 'asked.txt')
  const npx = `#!/bin/sh\necho "$@" >>"${asked}"\nmkdir -p "${root}/node_modules"\ntouch "${root}/node_modules/.modules.yaml"\nexit \${INSTALL_ENDS_WITH:-0}\n`
  writeFileSync(join(root, 'bin/npx'), npx)
  chmodSync(join(root, 'bin/npx'), 0o755)
  return {
    root,
    /** Its output, and the arguments that it called the installer with. */
    run(command: string, env: Record<string, string> = {}) {
      rmSync(asked, { force: true })
      const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'deploy/bootstrap.mjs'), command], {
        encoding: 'utf8',
        env: { ...process.env, PATH: `${join(root, 'bin')}:${process.env.PATH}`, ...env },
      })
      const calls = existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : []
      return { said: stdout + stderr, installs: calls.map((call) => call.replace(/^.*--reporter=\S+ ?/, '')) }
    },
    lock: (text: string) => writeFileSync(join(root, 'pnpm-lock.yaml'), text),
  }
}

const SMALL = '--prod --filter !@operon/proof --filter !@operon/node'
const ALL = '--filter !@operon/node'

test('a start installs what running needs, once; a test adds the rest, and a start after it takes nothing away', () => {
  const { run, lock } = project()
  lock('one')
  expect(run('start')).toMatchObject({ installs: [SMALL], said: expect.stringContaining('ran all-in-one') })
  expect(run('start').installs).toEqual([])
  const added = run('test')
  // The small set has no declarations of types any more, and tests are checked with them.
  expect(added).toMatchObject({ installs: [`${ALL} --force`], said: expect.stringContaining('Installing what "test" needs besides') })
  expect(added.said).toContain('ran test')
  expect(run('start').installs).toEqual([])
  lock('two')
  expect(run('start')).toMatchObject({ installs: [ALL], said: expect.stringContaining('The packages changed') })
})

test('an install that fails is tried again, and leaves the small set of the same packages as it was', () => {
  const { run, lock } = project()
  lock('one')
  expect(run('start', { INSTALL_ENDS_WITH: '1' }).said).toContain('The packages could not be installed')
  expect(run('start').installs).toHaveLength(1)
  expect(run('test', { INSTALL_ENDS_WITH: '1' }).said).not.toContain('ran test')
  expect(run('start')).toMatchObject({ installs: [], said: expect.stringContaining('ran all-in-one') })
  lock('two')
  run('start', { INSTALL_ENDS_WITH: '1' })
  lock('one')
  expect(run('start').installs).toEqual([SMALL])
})

test('packages that somebody installed by hand are never taken away', () => {
  const { root, run, lock } = project()
  lock('one')
  mkdirSync(join(root, 'node_modules'))
  writeFileSync(join(root, 'node_modules/.modules.yaml'), '')
  expect(run('start').installs).toEqual([''])
})

test('an older Node hands over to the one that is installed for it', () => {
  const { run, lock, root } = project()
  lock('one')
  const bin = join(root, `deploy/node/node_modules/node-${process.platform}-${process.arch}/bin`)
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'node'), `#!/bin/sh\necho "the installed one runs $1"\n`)
  chmodSync(join(bin, 'node'), 0o755)
  // The bootstrap reads nothing but the version of the running Node.
  writeFileSync(join(root, 'older.cjs'), `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.0' } })`)
  const { installs, said } = run('start', { NODE_OPTIONS: `--require ${join(root, 'older.cjs')}` })
  expect(installs).toEqual(['--prod --filter !@operon/proof'])
  expect(said).toContain(`the installed one runs ${join(root, 'deploy/src/all-in-one.ts')}`)
})
