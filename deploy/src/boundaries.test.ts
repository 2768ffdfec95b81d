import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { breaches, checkBoundaries, importsOf } from './boundaries.ts'

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

test('the repository keeps its directions', () => {
  expect(checkBoundaries(root)).toEqual([])
})
