import { expect, test } from 'vitest'
import { COUNTED_AT_MOST, pageUpTo } from './pages.ts'

test('a list is counted up to a bound, and beyond it a full page leads on to another', () => {
  expect(pageUpTo(120, 50, 1, 50)).toMatchObject({ total: 120, lastPage: 3 })
  expect(pageUpTo(COUNTED_AT_MOST, 50, 1, 50)).toMatchObject({ total: COUNTED_AT_MOST, lastPage: 200 })
  expect(pageUpTo(COUNTED_AT_MOST, 50, 300, 50)).toMatchObject({ total: 15_001, lastPage: 301 })
  expect(pageUpTo(COUNTED_AT_MOST, 7, 301, 50)).toMatchObject({ total: 15_007, lastPage: 301 })
})
