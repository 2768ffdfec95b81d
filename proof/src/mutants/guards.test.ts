import { expect, test } from 'vitest'
import { guardsOf } from './guards.ts'

const broken = (line: string) => guardsOf('a.ts', line).map((guard) => guard.broken)

test('a refusal never happens once it is broken', () => {
  expect(broken("  if (!row || row.by !== id) throw new DomainError('not_found')")).toEqual([
    "  if (false && (!row || row.by !== id)) throw new DomainError('not_found')",
  ])
  expect(broken('if (until < now) return null')).toEqual(['if (false && (until < now)) return null'])
})

test('a filter that decides whose row it is goes', () => {
  expect(broken("    .where('user_id', '=', id)")).toEqual([''])
  expect(broken("    .where('t.expires_at', '>', now())")).toEqual([''])
})

test('what is no guard, or no whole call, stays', () => {
  expect(broken("    .where('name', '=', name)")).toEqual([])
  expect(broken("    .where('state', 'in', eb.or([")).toEqual([])
  expect(broken('  if (ready) start()')).toEqual([])
  expect(broken('  if (!known) throw error')).toEqual([])
})
