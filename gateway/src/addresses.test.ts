import { expect, test } from 'vitest'
import { addressReader } from './addresses.ts'

const { client } = addressReader('loopback, 10.0.0.0/8')

test.each([
  ['without a proxy it is who is connected', '192.0.2.1', '6.6.6.6', '192.0.2.1'],
  ['the nearest hop that is no proxy of ours', '127.0.0.1', '6.6.6.6, 192.0.2.1, 10.0.0.2', '192.0.2.1'],
  ['a hop that names no address ends the walk at the proxy that passed it on', '127.0.0.1', '192.0.2.1, unknown, 10.0.0.2', '10.0.0.2'],
  ['behind the nearest that names none nothing is believed', '127.0.0.1', '6.6.6.6, not-an-address', '127.0.0.1'],
  ['an empty hop is no address', '127.0.0.1', '6.6.6.6,', '127.0.0.1'],
  ['with a port', '127.0.0.1', '192.0.2.1:4711', '192.0.2.1'],
  ['IPv6 with a port', '127.0.0.1', '[2001:DB8::1]:443', '2001:db8::1'],
  ['IPv4 written as IPv6, also in groups', '::ffff:127.0.0.1', '::ffff:c000:201', '192.0.2.1'],
  ['a proxy of ours written as IPv6', '127.0.0.1', '192.0.2.1, ::ffff:10.0.0.2', '192.0.2.1'],
  ['all are proxies of ours: the outermost', '127.0.0.1', '10.0.0.9, 10.0.0.2', '10.0.0.9'],
])('%s', (_what, remote, forwardedFor, address) => expect(client(remote, forwardedFor)).toBe(address))

test('where no proxy is named, nobody is believed', () => {
  const { client, isTrusted } = addressReader('')
  expect([client('127.0.0.1', '6.6.6.6'), isTrusted('127.0.0.1')]).toEqual(['127.0.0.1', false])
})
