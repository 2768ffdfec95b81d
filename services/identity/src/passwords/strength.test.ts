import { expect, test } from 'vitest'
import { readWords } from './breached.ts'
import { weaknessOf } from './strength.ts'

const LEAKED = /^This password has leaked from another site/

test('a leaked password is refused with any case, digits, signs and look-alikes about it [spec-22]', () => {
  for (const password of ['Sunnyday42!', 'Squ1rrel-99', '!Hedgehog7', 'Lasagna#2019', 'Qaz1wsx2!'])
    expect(weaknessOf(password), password).toMatchObject({ reasons: ['pwned'], message: expect.stringMatching(LEAKED) })
})

test('what a password lacks is said in a sentence [spec-22]', () => {
  expect(weaknessOf('abc')).toEqual({
    message: 'Password should have at least 8 characters, one uppercase letter and one special character.',
    reasons: ['length', 'characters'],
  })
  expect(weaknessOf('LONG-ENOUGH')?.message).toBe('Password should have at least one lowercase letter.')
})

test('settings replace the rule: a length, and sets of characters in the form of GoTrue', () => {
  const settings = { AUTH_PASSWORD_MIN_LENGTH: 10, AUTH_PASSWORD_REQUIRED_CHARACTERS: '0123456789:+-\\:' }
  expect(weaknessOf('Short', [], settings)).toEqual({
    message: 'Password should be at least 10 characters. Password should contain at least one character of each: 0123456789, +-:.',
    reasons: ['length', 'characters'],
  })
  expect(weaknessOf('kestrel canoe lamp 4:', [], settings)).toBeNull()
  expect(weaknessOf('kestrel canoe lamp 4', [], settings)?.message).toBe(
    'Password should contain at least one character of each: 0123456789, +-:.',
  )
  expect(weaknessOf('password', [], { AUTH_PASSWORD_REQUIRED_CHARACTERS: 'none' })?.reasons).toEqual(['pwned'])
  expect(weaknessOf('password', [], { AUTH_PASSWORD_REQUIRED_CHARACTERS: 'none', AUTH_PASSWORD_REFUSE_KNOWN: false })).toBeNull()
})

test('what is no leaked password passes, whatever words it is made of', () => {
  for (const password of ['Tr1cky-horse-battery', 'Sunny-day 42!', 'Vm4!kd-Rolf.tzu', 'Kestrel+canoe+lamp'])
    expect(weaknessOf(password)).toBeNull()
})

test('the first ones that anyone would try and the owner’s own name say so', () => {
  expect(weaknessOf('P@ssw0rd2024!')?.message).toMatch(/one of the first/)
  expect(weaknessOf('Summer-love1!')?.message).toMatch(/one of the first/)
  expect(weaknessOf('Adalovelace1!', ['Ada Lovelace'])?.message).toMatch(/your name or your address/)
  expect(weaknessOf('Zq.brightwater!', ['zq.brightwater@example.com'])?.message).toMatch(/your name or your address/)
})

test('the list is read as it was written, tens of thousands of words, and asked in much less than a hash takes', () => {
  expect([...readWords('# head\n0abba\n2ends\n1cdc\n')]).toEqual(['abba', 'abends', 'acdc'])
  const began = process.cpuUsage()
  for (let at = 0; at < 1000; at++) weaknessOf(`Tr1cky-horse-battery-${at}`)
  // Some 15 µs each; a hash takes 9 ms. Of the processor: other work on the machine takes none of it.
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(1000)
})
