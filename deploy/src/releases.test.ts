import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { serviceNames } from '@operon/contracts/services'
import { expect, test } from 'vitest'
import { releases } from './corpus/corpus.ts'
import { newServices } from './fleet-control.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(resolve(root, file), 'utf8')

test('each release has its notes and a record of what it sends, the newest first, and this version is the newest', () => {
  const noted = [...read('CHANGELOG.md').matchAll(/^## (\S+) \(\d{4}-\d\d-\d\d\)$/gm)].map((match) => match[1]!)
  expect(noted[0]).toBe(JSON.parse(read('package.json')).version)
  expect(noted).toEqual(noted.toSorted((one, other) => compare(other, one)))
  expect([...releases()].sort(compare)).toEqual(noted.toReversed())
})

test('ports of services, which other machines and Prometheus know, are those of the release before: a new service comes last', () => {
  const released = ['identity', 'billing', 'marketplace', 'integrations', 'ai-gateway', 'analytics', 'crm', 'sandbox']
  expect(serviceNames.slice(0, released.length)).toEqual(released)
})

test('a launcher that began with an older version finds the services that this one brings', () => {
  expect(newServices(root, ['identity', 'media']).toSorted()).toEqual(
    serviceNames.filter((name) => name !== 'identity' && name !== 'media').toSorted(),
  )
  expect(newServices()).toEqual([])
})

function compare(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number))
  return a!.map((part, i) => part - b![i]!).find((difference) => difference !== 0) ?? 0
}
