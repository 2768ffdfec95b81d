import { expect, test } from 'vitest'
import { allHold, generalRules, roleRules } from './rules.ts'

test('the general portal asks for no digit and takes any special character [spec-22]', () => {
  expect(allHold(generalRules, 'Abcdefg!')).toBe(true)
  expect(allHold(generalRules, 'Abcdefg-')).toBe(true)
  expect(allHold(generalRules, 'Abcdefgh')).toBe(false)
  expect(allHold(generalRules, 'Abcde!')).toBe(false)
  expect(allHold(generalRules, 'abcdefg!')).toBe(false)
  expect(allHold(generalRules, 'ABCDEFG!')).toBe(false)
})

test('the role portals ask for a digit and one of the fixed special characters [spec-22]', () => {
  expect(allHold(roleRules, 'Abcdefg1!')).toBe(true)
  expect(allHold(roleRules, 'Abcdefg!')).toBe(false)
  expect(allHold(roleRules, 'Abcdefg1-')).toBe(false)
  for (const special of '!@#$%^&*(),.?":{}|<>') expect(allHold(roleRules, `Abcdefg1${special}`)).toBe(true)
})

test('the checklist reads to the letter [spec-21]', () => {
  expect(generalRules.map((rule) => rule.text)).toEqual([
    'At least 8 characters long',
    'At least one uppercase letter',
    'At least one lowercase letter',
    'At least one special character',
  ])
})
