import { expect, test, vi } from 'vitest'
import { CallerNetworks, networkOf, readAddress } from './addresses.ts'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:8080', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['[2001:DB8::1]:443', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['unknown', null],
  ['_hidden', null],
  ['', null],
  ['1.2.3', null],
  ['1.2.3.4, 5.6.7.8', null],
  ['2001:db8::1::2', null],
  [undefined, null],
])('%s is read as %s', (text, address) => expect(readAddress(text)).toBe(address))

test('however the addresses of one /64 are written, they are one caller, and their neighbours are others', () => {
  const callers = new CallerNetworks()
  const same = ['2001:db8::1', '2001:0DB8:0:0::2', '2001:db8:0:0:ffff:ffff:ffff:ffff', '2001:db8::192.0.2.1', '2001:db8::5%eth0']
  expect(new Set(same.map((address) => callers.at(address)))).toEqual(new Set(['2001:db8:0:0::/64']))
  expect(callers.at('2001:db8:0:1::1')).toBe('2001:db8:0:1::/64')
  expect(networkOf('2001:0db8::9')).toBe('2001:db8:0:0::/64')
})

test('IPv4 is counted by address, also where it is written as IPv6', () => {
  const callers = new CallerNetworks()
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201']) expect(callers.at(address)).toBe('192.0.2.1')
  expect(callers.at('192.0.2.2')).toBe('192.0.2.2')
})

test('many /64 of one /48 become one caller, those of another stay apart, and a quarter of an hour later all begin anew', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const callers = new CallerNetworks()
    const at = (network: number) => callers.at(`2001:db8:7:${network.toString(16)}::1`)
    const first = Array.from({ length: 16 }, (_, network) => at(network))
    expect(new Set(first).size).toBe(16)
    expect(new Set(Array.from({ length: 500 }, (_, network) => at(network)))).toEqual(new Set([...first, '2001:db8:7::/48']))
    expect(at(0)).toBe('2001:db8:7::/48')
    expect(callers.at('2001:db8:8::1')).toBe('2001:db8:8:0::/64')
    vi.advanceTimersByTime(15 * 60_000)
    expect(at(3)).toBe('2001:db8:7:3::/64')
  } finally {
    vi.useRealTimers()
  }
})
