import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

test('a migration makes plain indexes on tables of its own only: on others they are `indexes`, which block no writes', () => {
  const files = globSync('services/*/src/migrations/*.ts', { cwd: root })
  expect(files.length).toBeGreaterThan(20)
  expect(files.flatMap((file) => plainIndexes(readFileSync(join(root, file), 'utf8')).map((index) => `${file}: ${index}`))).toEqual([])
  expect(plainIndexes('create table mine (id int); create index a on mine (id); create unique index b on theirs (id)')).toEqual(['b'])
})

function plainIndexes(text: string): string[] {
  const own = [...text.matchAll(/create table (\w+)/g)].map(([, table]) => table)
  return [...text.matchAll(/create (?:unique )?index (\w+)\s+on (\w+)/g)].flatMap(([, name, table]) => (own.includes(table) ? [] : [name!]))
}
