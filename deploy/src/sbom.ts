import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'

const root = resolve(import.meta.dirname, '../..')

type Snapshot = { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> }
type Wanted = Record<string, { version: string }>
export type Lock = {
  importers: Record<string, { dependencies?: Wanted; optionalDependencies?: Wanted; devDependencies?: Wanted }>
  packages: Record<string, { resolution?: { integrity?: string } }>
  snapshots: Record<string, Snapshot>
}
type Component = {
  type: 'library'
  'bom-ref': string
  name: string
  group?: string
  version: string
  purl: string
  scope: string
  hashes: object[]
}

export const readLock = (): Lock => parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')) as Lock

/** `@scope/name@1.2.3(peer@4)`, as the lockfile says it, without the peers. */
export function nameAndVersion(key: string): { name: string; version: string } {
  const plain = key.replace(/\(.*$/, '')
  const at = plain.lastIndexOf('@')
  return { name: plain.slice(0, at), version: plain.slice(at + 1) }
}

/** The product's packages in CycloneDX 1.6: the same lockfile gives the same document. Development packages are marked as excluded. */
export function sbomOf(lock: Lock, version: string): object {
  const runs = reached(lock)
  const text = createHash('sha256').update(JSON.stringify(lock)).digest('hex')
  const components = Object.entries(lock.packages).map(([key, { resolution }]): Component => {
    const { name, version } = nameAndVersion(key)
    const [group, short] = name.startsWith('@') ? (name.split('/') as [string, string]) : [undefined, name]
    const hash = resolution?.integrity?.replace(/^sha512-/, '')
    return {
      type: 'library',
      'bom-ref': purlOf(key),
      ...(group && { group }),
      name: short,
      version,
      scope: runs.has(plainKey(key)) ? 'required' : 'excluded',
      hashes: hash ? [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] : [],
      purl: purlOf(key),
    }
  })
  const dependsOn = new Map<string, Set<string>>()
  for (const [key, snapshot] of Object.entries(lock.snapshots)) {
    const known = dependsOn.get(purlOf(key)) ?? new Set()
    for (const each of namedBy(snapshot)) if (lock.packages[plainKey(each)]) known.add(purlOf(each))
    dependsOn.set(purlOf(key), known)
  }
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-8${text.slice(17, 20)}-${text.slice(20, 32)}`,
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': 'operon', name: 'operon', version } },
    components,
    dependencies: [...dependsOn].map(([ref, on]) => ({ ref, dependsOn: [...on].sort() })),
  }
}

const plainKey = (key: string) => key.replace(/\(.*$/, '')
const purlOf = (key: string) => {
  const { name, version } = nameAndVersion(key)
  return `pkg:npm/${name.replace(/^@/, '%40')}@${version}`
}
/** A version alone belongs to the name before it; an alias brings its own name. */
const keyOf = (name: string, version: string) => (/^\d/.test(version) ? `${name}@${version}` : version)
const namedBy = ({ dependencies = {}, optionalDependencies = {} }: Snapshot) =>
  Object.entries({ ...dependencies, ...optionalDependencies })
    .filter(([, version]) => !version.startsWith('link:'))
    .map(([name, version]) => keyOf(name, version))

/** Every package that something which runs depends on, however far away. */
function reached({ importers, snapshots }: Lock): Set<string> {
  const found = new Set<string>()
  const next = Object.entries(importers)
    .filter(([folder]) => folder !== 'proof')
    .flatMap(([, { dependencies = {}, optionalDependencies = {} }]) => Object.entries({ ...dependencies, ...optionalDependencies }))
    .filter(([, { version }]) => !version.startsWith('link:'))
    .map(([name, { version }]) => keyOf(name, version))
  const seen = new Set<string>()
  for (let key = next.pop(); key !== undefined; key = next.pop()) {
    if (seen.has(key)) continue
    seen.add(key)
    found.add(plainKey(key))
    next.push(...namedBy(snapshots[key] ?? {}))
  }
  return found
}

if (import.meta.main) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const text = `${JSON.stringify(sbomOf(readLock(), version), null, 2)}\n`
  const [out] = process.argv.slice(2)
  if (out) writeFileSync(resolve(out), text)
  else process.stdout.write(text)
}
