import { expect, test } from 'vitest'
import { addressBlock, countryCode, domainOf, phoneBlock } from './blocks.ts'

test('addresses and numbers are counted by the block that one party controls', () => {
  expect(['203.0.113.7', '::ffff:203.0.113.9', '2001:db8:1:2:ffff::1', '2001:db8:1:2::9', 'odd'].map(addressBlock)).toEqual([
    '203.0.113.0/24',
    '203.0.113.0/24',
    '2001:db8:1:2::/64',
    '2001:db8:1:2::/64',
    'odd',
  ])
  expect(['+15551234567', '+4915112345678', '+3725123456', '+79991234567'].map(countryCode)).toEqual(['1', '49', '372', '7'])
  expect(phoneBlock('+4915112345678')).toBe('491511234')
  expect(domainOf('"odd@local"@Example.COM')).toBe('example.com')
})
