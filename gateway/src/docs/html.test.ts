import { expect, test } from 'vitest'
import { prose } from './html.ts'

test('what a contract writes in backticks is code in the reference, and nothing of it is HTML', () => {
  expect(prose('Without a plan `tier` is `<null>` & more').text).toBe(
    'Without a plan <code>tier</code> is <code>&lt;null&gt;</code> &amp; more',
  )
})
