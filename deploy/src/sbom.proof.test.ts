import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { expect, onTestFinished, test } from 'vitest'
import { gravestHoles, readAdvisories } from './advisories.ts'
import { readLock, sbomOf } from './sbom.ts'

type Bom = {
  components: { name: string; group?: string; purl: string; scope: string; hashes: { content: string }[] }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

test('the bill of materials fits the schema of CycloneDX 1.6, and a document that does not is told', async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
  const bom = sbomOf(readLock(), '0.1.0')
  expect(await validator.validate(JSON.stringify(bom))).toBeNull()
  expect(await validator.validate(JSON.stringify({ ...bom, components: [{ name: 'without a type' }] }))).not.toBeNull()
})

test('it names every package of the lockfile once, with its hash, what it depends on, and whether running needs it', () => {
  const lock = readLock()
  const { components, dependencies } = sbomOf(lock, '0.1.0') as Bom
  expect(new Set(components.map(({ purl }) => purl)).size).toBe(components.length)
  expect(components).toHaveLength(Object.keys(lock.packages).length)
  for (const { hashes, purl } of components) expect(hashes[0]?.content, purl).toMatch(/^[0-9a-f]{128}$/)
  const scopeOf = (purl: RegExp) => components.find((each) => purl.test(each.purl))!.scope
  for (const runs of [/npm\/fastify@/, /npm\/%40aws-sdk\/client-s3@/, /npm\/vite@/, /npm\/fast-json-stringify@/])
    expect(scopeOf(runs), String(runs)).toBe('required')
  for (const never of [/npm\/vitest@/, /npm\/lighthouse@/, /npm\/%40biomejs\/biome@/])
    expect(scopeOf(never), String(never)).toBe('excluded')
  const known = new Set(components.map(({ purl }) => purl))
  expect(dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((purl) => !known.has(purl))).toEqual([])
  expect(dependencies.find(({ ref }) => ref.includes('npm/fastify@'))!.dependsOn.some((purl) => purl.includes('npm/avvio@'))).toBe(true)
  expect(JSON.stringify(sbomOf(lock, '0.1.0'))).toBe(JSON.stringify(sbomOf(readLock(), '0.1.0')))
})

test('a high or unrated advisory for an installed version counts, in each of the forms it comes in; a moderate, withdrawn or mended one does not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'operon-advisories-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const lock = { importers: {}, snapshots: {}, packages: { 'left-pad@1.3.0': {}, '@scope/thing@2.0.0-rc.1(peer@1.0.0)': {} } }
  const holes = (told: unknown) => {
    const file = join(folder, 'advisories.json')
    writeFileSync(file, JSON.stringify(told))
    return gravestHoles(lock, file)!.map(({ name, version, severity }) => `${name} ${version} ${severity}`)
  }
  const range = (...events: object[]) => [{ type: 'SEMVER', events }]
  const osv = (severity: string | undefined, events: object[], more = {}) => ({
    id: 'GHSA-1',
    affected: [{ package: { ecosystem: 'npm', name: 'left-pad' }, ranges: range(...events) }],
    ...(severity && { database_specific: { severity } }),
    ...more,
  })
  expect(gravestHoles(lock, join(folder, 'none.json'))).toBeNull()
  expect(holes({ vulnerabilities: { 'left-pad': { name: 'left-pad', severity: 'high', range: '<1.4.0', via: [] } } })).toEqual([
    'left-pad 1.3.0 high',
  ])
  expect(holes({ vulnerabilities: { 'left-pad': { name: 'left-pad', severity: 'moderate', range: '*', via: [] } } })).toEqual([])
  expect(holes({ advisories: { 1: { module_name: '@scope/thing', severity: 'critical', vulnerable_versions: '>=1' } } })).toEqual([
    '@scope/thing 2.0.0-rc.1 critical',
  ])
  expect(holes(osv('HIGH', [{ introduced: '0' }, { fixed: '1.3.1' }]))).toEqual(['left-pad 1.3.0 high'])
  expect(holes([osv(undefined, [{ introduced: '1.0.0' }])])).toEqual(['left-pad 1.3.0 unknown'])
  expect(holes({ vulns: [osv('CRITICAL', [{ introduced: '0' }, { fixed: '1.3.0' }])] })).toEqual([])
  expect(
    holes({ vulns: [osv('CRITICAL', [{ introduced: '0' }, { fixed: '1.0.0' }, { introduced: '1.2.0' }, { last_affected: '1.3.0' }])] }),
  ).toEqual(['left-pad 1.3.0 critical'])
  expect(
    holes({ results: [{ packages: [{ vulnerabilities: [osv('HIGH', [{ introduced: '0' }], { withdrawn: '2026-01-01' })] }] }] }),
  ).toEqual([])
  expect(() => readAdvisories({ something: 'else' })).toThrow('neither')
})
