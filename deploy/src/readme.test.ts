import { readFileSync } from 'node:fs'
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
