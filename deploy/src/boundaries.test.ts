import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { breaches, checkBoundaries, circles, importsOf } from './boundaries.ts'

const root = resolve(import.meta.dirname, '../..')
const rulesOf = (from: string, text: string) => importsOf(from, text).flatMap((found) => breaches(root, found).map((breach) => breach.rule))

test.each([
  ['services/billing/src/a.ts', `import { x } from '@operon/identity/service'`, /a service imports/],
  ['services/billing/src/a.ts', `import { x } from '../../identity/src/service.ts'`, /by its name/],
  ['services/billing/src/a.ts', `import { x } from './b'`, /ends in .ts/],
  ['services/billing/src/a.ts', `import { x } from './b.js'`, /ends in .ts/],
  ['services/billing/src/a.ts', `const x = await import('@operon/crm/service')`, /a service imports/],
  ['libs/contracts/src/a.ts', `import { x } from 'kysely'`, /zod alone/],
  ['libs/kit/src/a.ts', `import { x } from '@operon/billing/service'`, /knows no service/],
  ['web/src/a.ts', `import { x } from '@operon/kit/http'`, /contracts only/],
  ['web/src/a.ts', `import { x } from '@operon/contracts/billing/api'`, /without zod/],
  ['web/src/features/lab/a.ts', `import { x } from '../chat/b.ts'`, /another/],
  ['web/src/ui/a.ts', `import { x } from '../features/chat/b.ts'`, /ui knows no feature/],
  ['web/src/ui/a.ts', `import { x } from '../chat/b.ts'`, /ui knows no feature, no conversation/],
  ['web/src/chat/a.ts', `import { x } from '../features/lab/b.ts'`, /a conversation knows no feature/],
  ['web/src/chat/a.ts', `import { x } from '../shell/nav.ts'`, /a conversation knows no feature/],
])('%s may not say %s', (from, text, rule) => {
  expect(rulesOf(from, text).join()).toMatch(rule)
})

test.each([
  ['services/billing/src/a.ts', `import { serve } from '@operon/kit/http'\nimport { z } from 'zod'\nimport { x } from './b.ts'`],
  ['services/billing/src/a.test.ts', `import { startSandbox } from '@operon/sandbox/sandbox'`],
  ['web/src/a.ts', `import type { Row } from '@operon/contracts/billing/api'\nimport { plans } from '@operon/contracts/services'`],
  ['web/src/a.ts', `import { type Row } from '@operon/contracts/billing/api'`],
  ['web/src/router.tsx', `const Page = lazy(() => import('./features/chat/ChatPage.tsx'))`],
  ['web/src/features/lab/a.ts', `import { x } from '../../ui/b.tsx'`],
  ['web/src/features/lab/a.ts', `import { x } from '../../chat/b.tsx'`],
  ['web/src/chat/a.ts', `import { x } from '../ui/b.tsx'`],
])('%s may say %s', (from, text) => {
  expect(rulesOf(from, text)).toEqual([])
})

const circlesOf = (files: Record<string, string>) =>
  circles(Object.entries(files).flatMap(([from, text]) => importsOf(from, text))).map(({ rule }) => rule)

test('files that load each other are named with their whole way round, over packages too', () => {
  const kit = { 'libs/kit/src/a.ts': `import { b } from './b.ts'`, 'libs/kit/src/b.ts': `import { c } from './c.ts'` }
  expect(circlesOf({ ...kit, 'libs/kit/src/c.ts': `import { a } from './a.ts'` })).toEqual([
    'a circle: libs/kit/src/a.ts -> libs/kit/src/b.ts -> libs/kit/src/c.ts -> libs/kit/src/a.ts',
  ])
  expect(
    circlesOf({ 'services/crm/src/a.ts': `import { b } from '@operon/kit/b'`, 'libs/kit/src/b.ts': `export { a } from '@operon/crm/a'` }),
  ).toHaveLength(1)
})

test.each([`import type { A } from './a.ts'`, `import { type A } from './a.ts'`, `const a = () => import('./a.ts')`])(
  '%s makes no circle',
  (back) => {
    expect(circlesOf({ 'libs/kit/src/a.ts': `import { b } from './b.ts'`, 'libs/kit/src/b.ts': back })).toEqual([])
  },
)

test('the repository keeps its directions', () => {
  expect(checkBoundaries(root)).toEqual([])
})
