import { expect, test } from 'vitest'
import { addTallies, playwrightTally, vitestTally } from './tally.ts'

test('a file that could not be loaded counts as a failure, though no test of it failed', () => {
  const assertion = (status: string) => ({ status, fullName: status, title: status, ancestorTitles: [] })
  const report = {
    testResults: [
      { name: 'a.test.ts', status: 'passed', assertionResults: [assertion('passed'), assertion('pending'), assertion('todo')] },
      { name: 'b.test.ts', status: 'failed', message: 'no such module\nstack', assertionResults: [] },
      { name: 'c.test.ts', status: 'failed', assertionResults: [assertion('failed'), assertion('passed')] },
    ],
  }
  expect(vitestTally(report)).toEqual({
    passed: 2,
    failed: 2,
    skipped: 2,
    why: [
      'not run: 1 in a.test.ts: pending',
      'not run: 1 in a.test.ts: todo',
      'failed: b.test.ts: no such module',
      'failed: c.test.ts: failed',
    ],
  })
})

test('what could not run is told once a file, with the reason in its name', () => {
  const skipped = (title: string, ...ancestorTitles: string[]) => ({ status: 'skipped', fullName: title, title, ancestorTitles })
  const why = 'skipped: nats-server is not on PATH, and no Docker answers'
  const report = {
    testResults: [{ name: 'nats.test.ts', status: 'passed', assertionResults: [skipped('one', why, 'inner'), skipped('two', why)] }],
  }
  expect(vitestTally(report)).toMatchObject({
    skipped: 2,
    why: ['not run: 2 in nats.test.ts: nats-server is not on PATH, and no Docker answers'],
  })
})

test('a browser test that passed only on a second try counts as failed', () => {
  const spec = (status: string) => ({ title: status, tests: [{ status }] })
  const suites = [
    {
      title: 'a',
      file: 'a.e2e.ts',
      specs: [spec('expected')],
      suites: [{ title: 'inner', specs: [spec('flaky'), spec('skipped'), spec('unexpected')] }],
    },
  ]
  const tally = addTallies([playwrightTally({ suites, errors: [{ message: 'no tests' }] })])
  expect(tally).toMatchObject({ passed: 2, failed: 2, skipped: 1 })
  expect(tally.why).toContainEqual(expect.stringContaining('needed a second try'))
})
