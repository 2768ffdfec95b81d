import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const text = (path: string) => readFileSync(join(root, path), 'utf8')

/** The numbered steps of a chapter: the file that each names, and the code it shows. */
const steps = (title: string) => {
  const chapter = text('README.md').split(`## ${title}\n`)[1]!.split('\n## ')[0]!
  return [...chapter.matchAll(/^\d\. \*\*[^`]*`([^`]+\.ts)`.*?^ *```ts\n(.*?)^ *```$/gms)].map(([, file, code]) => ({
    file: file!,
    code: code!.replace(/^ {3}/gm, '').trimEnd(),
  }))
}

test('the capability that the README adds is the one that is shipped, to the letter', () => {
  const shown = steps('Add a capability')
  expect(shown.map(({ file }) => file)).toEqual([
    'libs/contracts/src/crm/api.ts',
    'services/crm/src/contacts/count.ts',
    'services/crm/src/contacts/routes.ts',
  ])
  for (const { file, code } of shown) expect(text(file), file).toContain(code)
  // The domain function is all of its file, so that nothing it needs goes unsaid.
  expect(text(shown[1]!.file).trimEnd()).toBe(shown[1]!.code)
})

const unchecked = spawnSync('systemd-analyze', ['--version']).error ? 'skipped: systemd-analyze is not on PATH: ' : ''
test.skipIf(unchecked)(`${unchecked}systemd understands every line of the unit that an operator copies`, () => {
  const [, shown] = /^ *```ini\n(.*?)^ *```$/ms.exec(text('docs/operating.md'))!
  const folder = mkdtempSync(join(tmpdir(), 'operon-unit-'))
  const file = join(folder, 'operon.service')
  // Wherever npm is on this machine.
  writeFileSync(file, shown!.replace(/^ +/gm, '').replace('/usr/bin/npm', process.execPath))
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  expect([status, stdout, stderr]).toEqual([0, '', ''])
})
