import { ERASE_WITHIN_DAYS } from '@operon/contracts/erasure'
import { expect, test } from 'vitest'
import { eraseWithinDays, privacy } from './legal.ts'

test('the pages name the time that the services keep to', () => {
  expect(eraseWithinDays).toBe(ERASE_WITHIN_DAYS)
  expect(JSON.stringify(privacy)).toContain(`within ${ERASE_WITHIN_DAYS} days`)
})
