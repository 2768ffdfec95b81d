import { stripVTControlCharacters } from 'node:util'
import type { StrayError } from './stray-errors.ts'

/** How a run ended, with a line for each test that did not pass and one for what it said. */
export type Tally = { passed: number; failed: number; skipped: number; why: string[] }

type Assertion = { status: string; fullName: string; title: string; ancestorTitles: string[]; failureMessages?: string[] }
export type VitestReport = { testResults: { name: string; status: string; message?: string; assertionResults: Assertion[] }[] }
type Suite = {
  title: string
  file?: string
  suites?: Suite[]
  specs?: { title: string; tests: { status: string; results?: { error?: { message?: string } }[] }[] }[]
}
export type PlaywrightReport = { suites: Suite[]; errors?: { message?: string }[] }

const empty: Tally = { passed: 0, failed: 0, skipped: 0, why: [] }

export function addTallies(tallies: Tally[]): Tally {
  return tallies.reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
      why: [...sum.why, ...one.why],
    }),
    empty,
  )
}

/** The files that have a failed test. */
export function redFiles({ why }: Tally): string[] {
  return [...new Set(why.flatMap((line) => /^failed: (\S+\.tsx?): /.exec(line)?.[1] ?? []))].sort()
}

/** Sums up the second run of the red files: a test that is green the second time passes, and is named. */
export function secondLook(first: Tally, again: Tally): Tally {
  const red = first.why.filter((line) => line.startsWith('failed: '))
  const redAgain = again.why.filter((line) => line.startsWith('failed: '))
  const told = again.failed ? again.why.filter((line) => line.startsWith('failed: ') || line.startsWith('said: ')) : []
  // One that broke off before its tests clears nobody.
  if (again.failed > redAgain.length) return { ...first, why: [...first.why, ...again.why] }
  return {
    ...first,
    passed: first.passed + Math.max(0, first.failed - again.failed),
    failed: again.failed,
    why: [
      ...first.why.filter((line) => !red.includes(line) && !told.includes(line)),
      ...red.filter((line) => !redAgain.includes(line)).map((line) => line.replace('failed: ', 'red once, green alone: ')),
      ...told,
    ],
  }
}

export function vitestTally({ testResults }: VitestReport, strays: StrayError[] = []): Tally {
  return addTallies([
    ...strays.map(({ file, message }) => ({
      ...empty,
      failed: 1,
      why: [`failed: ${file || 'no file'}: an error that no test caught`, ...said(file, message)],
    })),
    ...testResults.map(({ name, status, message, assertionResults }) => {
      const failed = assertionResults.filter((test) => test.status === 'failed')
      // A file that cannot be loaded, or whose set-up fails, has no failed test to count.
      const broken = status === 'failed' && failed.length === 0
      const file = name.replace(`${process.cwd()}/`, '')
      const skipped = assertionResults.filter((test) => ['pending', 'skipped', 'todo', 'disabled'].includes(test.status))
      return {
        passed: assertionResults.filter((test) => test.status === 'passed').length,
        failed: failed.length + (broken ? 1 : 0),
        skipped: skipped.length,
        why: [
          ...(broken ? [`failed: ${file}: ${message?.split('\n')[0] ?? 'it could not be run'}`] : []),
          ...failed.flatMap((test) => [`failed: ${file}: ${test.fullName}`, ...said(file, test.failureMessages?.[0])]),
          ...[...Map.groupBy(skipped, whySkipped)].map(([why, tests]) => `not run: ${tests.length} in ${file}: ${why}`),
        ],
      }
    }),
  ])
}

/** The beginning of an error in one line: the end of a long log is all that some people get to see. */
function said(file: string, message?: string): string[] {
  return message ? [`said: ${file}: ${stripVTControlCharacters(message).replaceAll(/\s+/g, ' ').slice(0, 400)}`] : []
}

/** A suite or a test that cannot run here is named `skipped: <why>`. */
function whySkipped({ fullName, title, ancestorTitles }: Assertion): string {
  const named = [...ancestorTitles, title].find((each) => each.startsWith('skipped: '))
  return named?.slice('skipped: '.length) ?? fullName
}

export function playwrightTally({ suites, errors = [] }: PlaywrightReport): Tally {
  const outside = errors.map((error) => ({ ...empty, failed: 1, why: [`failed: browser: ${error.message?.split('\n')[0]}`] }))
  return addTallies([...suites.map((suite) => suiteTally(suite, suite.file ?? suite.title)), ...outside])
}

function suiteTally({ suites = [], specs = [] }: Suite, file: string): Tally {
  const own = specs.flatMap(({ title, tests }) =>
    tests.map(({ status, results = [] }): Tally => {
      if (status === 'skipped') return { ...empty, skipped: 1 }
      const why = [`failed: web/e2e/${file}: ${title} (${status})`, ...said(`web/e2e/${file}`, results.at(-1)?.error?.message)]
      if (status !== 'expected') return { ...empty, failed: 1, why }
      return { ...empty, passed: 1 }
    }),
  )
  return addTallies([...own, ...suites.map((suite) => suiteTally(suite, suite.file ?? file))])
}
