import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadersOf, testsFor } from './tests.ts'

const sources = {
  'libs/kit/src/a.ts': '',
  'libs/kit/src/far.ts': "import { a } from './a.ts'\n",
  'libs/kit/src/a.test.ts': "import { a } from './a.ts'\n",
  'libs/kit/src/other.test.ts': "import type { A } from './a.ts'\n",
  'libs/kit/src/jobs/a.suite.ts': "import { a } from '../a.ts'\n",
  'libs/kit/src/jobs/redis.test.ts': "import { suite } from './a.suite.ts'\n",
  'libs/kit/src/jobs/redis.faults.test.ts': "import { suite } from './a.suite.ts'\n",
  'services/crm/src/late.test.ts': "test('x', () => import('@operon/kit/far'))\n",
  'services/crm/src/near.test.ts': "import { a } from '@operon/kit/a'\n",
}
const tree = mkdtempSync(join(tmpdir(), 'operon-tests-of-'))
beforeAll(() => {
  for (const [file, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(tree, file)), { recursive: true })
    writeFileSync(join(tree, file), text)
  }
})
afterAll(() => rmSync(tree, { recursive: true, force: true }))

test('a guard is shown to every test that loads its file: beside it, in its package, in others, the nearest first', () => {
  expect(testsFor('libs/kit/src/a.ts', loadersOf(tree, Object.keys(sources)))).toEqual([
    'libs/kit/src/a.test.ts',
    'libs/kit/src/jobs/redis.test.ts',
    'services/crm/src/near.test.ts',
    'services/crm/src/late.test.ts',
  ])
})
