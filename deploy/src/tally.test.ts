import { expect, test } from 'vitest'
import { addTallies, playwrightTally, redFiles, secondLook, vitestTally } from './tally.ts'

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

test('an error that no test caught fails the run, and the file that ran has a second look', () => {
  const tally = vitestTally({ testResults: [] }, [{ file: 'a.test.ts', message: 'Error: late\n at stack' }])
  expect(tally).toMatchObject({
    failed: 1,
    why: ['failed: a.test.ts: an error that no test caught', 'said: a.test.ts: Error: late at stack'],
  })
  expect(redFiles(tally)).toEqual(['a.test.ts'])
  expect(redFiles(vitestTally({ testResults: [] }, [{ file: '', message: 'Error' }]))).toEqual([])
})

test('what an error said stands in a line beside its test, of the run that counts', () => {
  const message = 'AssertionError: expected 1 to be 2\n    at \u001b[31mstack\u001b[39m'
  const test = { status: 'failed', fullName: 'one', title: 'one', ancestorTitles: [], failureMessages: [message] }
  const first = vitestTally({ testResults: [{ name: 'a.test.ts', status: 'failed', assertionResults: [test] }] })
  const line = 'said: a.test.ts: AssertionError: expected 1 to be 2 at stack'
  expect(first.why).toEqual(['failed: a.test.ts: one', line])
  expect(secondLook(first, first).why).toEqual(first.why)
  expect(secondLook(first, { passed: 1, failed: 0, skipped: 0, why: [] }).why).toEqual([line, 'red once, green alone: a.test.ts: one'])
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

test('browser tests of nested suites are counted, and an error outside them fails the run', () => {
  const spec = (status: string) => ({ title: status, tests: [{ status }] })
  const suites = [
    { title: 'a', file: 'a.e2e.ts', specs: [spec('expected')], suites: [{ title: 'inner', specs: [spec('skipped'), spec('unexpected')] }] },
  ]
  const tally = addTallies([playwrightTally({ suites, errors: [{ message: 'no tests' }] })])
  expect(tally).toMatchObject({ passed: 1, failed: 2, skipped: 1 })
  expect(redFiles(tally)).toEqual(['web/e2e/a.e2e.ts'])
})

test('a test that is red twice fails, one that is red once passes and is named', () => {
  const first = {
    passed: 5,
    failed: 2,
    skipped: 1,
    why: ['failed: a.test.ts: one', 'failed: b.test.ts: two', 'not run: 1 in c.test.ts: why'],
  }
  expect(redFiles(first)).toEqual(['a.test.ts', 'b.test.ts'])
  expect(secondLook(first, { passed: 3, failed: 1, skipped: 0, why: ['failed: b.test.ts: two'] })).toEqual({
    passed: 6,
    failed: 1,
    skipped: 1,
    why: ['not run: 1 in c.test.ts: why', 'red once, green alone: a.test.ts: one', 'failed: b.test.ts: two'],
  })
  // A second run that never came to its tests saves nobody.
  expect(secondLook(first, { passed: 0, failed: 1, skipped: 0, why: ['vitest ended with code 1 before it could report'] })).toMatchObject({
    failed: 2,
  })
})
