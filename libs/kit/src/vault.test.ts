import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { Vault } from './vault.ts'

const [old, current] = [randomBytes(32), randomBytes(32)]

test('a sealed secret moved to another row, tenant or table does not open [S20]', () => {
  const vault = new Vault([current])
  const mine = vault.seal('token', 'user_integrations:row-1:ada')
  expect(vault.open(mine, 'user_integrations:row-1:ada')).toBe('token')
  for (const elsewhere of ['user_integrations:row-1:bob', 'user_integrations:row-2:ada', 'api_keys:row-1:ada', ''])
    expect(() => vault.open(mine, elsewhere)).toThrow()
})

test('neither a part of another nor a changed byte opens, and the same secret is never sealed alike [S20]', () => {
  const vault = new Vault([current])
  const [one, two] = [vault.seal('token', 'row'), vault.seal('token', 'row')]
  expect(one).not.toBe(two)
  const [version, id, key, body] = one.split('.') as [string, string, string, string]
  const other = two.split('.')
  for (const mixed of [
    [version, id, other[2], body],
    [version, id, key, other[3]],
    [version, id, key, `${body.startsWith('A') ? 'B' : 'A'}${body.slice(1)}`],
    ['v0', id, key, body],
    [version, 'unknown', key, body],
    [version, id, key],
  ])
    expect(() => vault.open(mixed.join('.'), 'row'), mixed.join('.')).toThrow()
})

test('after a rotation the old key still opens and the new one seals; without the old nothing of it opens', () => {
  const before = new Vault([old]).seal('token', 'row')
  const rotated = new Vault([current, old])
  expect(rotated.open(before, 'row')).toBe('token')
  const after = rotated.seal('token', 'row')
  expect(new Vault([current]).open(after, 'row')).toBe('token')
  expect(() => new Vault([current]).open(before, 'row')).toThrow()
  expect(() => new Vault([old]).open(after, 'row')).toThrow()
})
