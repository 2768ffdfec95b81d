import { expect, test } from 'vitest'
import { Rest } from './rest.ts'

test('a loop that finds nothing looks less and less often, up to a bound, and from the beginning once something was there', () => {
  const rest = new Rest(100, 800)
  const near = (ms: number, of: number) => expect([ms >= of * 0.75, ms <= of * 1.25]).toEqual([true, true])
  for (const wait of [100, 200, 400, 800, 800]) near(rest.next(), wait)
  rest.end()
  near(rest.next(), 100)
})
