import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { satisfies } from 'semver'
import { type Lock, nameAndVersion } from './sbom.ts'

/** One known hole of a package: `severity` in lower case, `affects` for the versions that have it. */
type Advisory = { id: string; name: string; severity: string; affects(version: string): boolean }
type Hole = { id: string; name: string; version: string; severity: string }

export const advisoryFile = (env: Record<string, string | undefined> = process.env) => resolve(env.ADVISORIES ?? 'advisories.json')

/** The holes that count: high, critical, and those of which nobody says how bad they are. Null where there is no file to read. */
export function gravestHoles(lock: Lock, file = advisoryFile()): Hole[] | null {
  if (!existsSync(file)) return null
  const advisories = readAdvisories(JSON.parse(readFileSync(file, 'utf8')))
  const installed = Object.keys(lock.packages).map(nameAndVersion)
  return advisories
    .filter(({ severity }) => !['info', 'low', 'moderate', 'medium'].includes(severity))
    .flatMap(({ id, name, severity, affects }) =>
      installed.filter((each) => each.name === name && affects(each.version)).map(({ version }) => ({ id, name, version, severity })),
    )
}

/** Reads a file of `npm audit --json`, `pnpm audit --json`, an OSV query or `osv-scanner --format json`. Any other file is an error. */
export function readAdvisories(told: any): Advisory[] {
  if (told?.vulnerabilities && !Array.isArray(told.vulnerabilities))
    return Object.values<any>(told.vulnerabilities).map(({ name, severity, range, via = [] }) => ({
      id: via.map((each: any) => each.url ?? each.title ?? each).join(', ') || name,
      name,
      severity: lower(severity),
      affects: inRange(range),
    }))
  if (told?.advisories)
    return Object.values<any>(told.advisories).map(({ github_advisory_id, title, module_name, severity, vulnerable_versions }) => ({
      id: github_advisory_id ?? title,
      name: module_name,
      severity: lower(severity),
      affects: inRange(vulnerable_versions),
    }))
  if (Array.isArray(told?.results))
    return osv(told.results.flatMap(({ packages = [] }: any) => packages.flatMap((each: any) => each.vulnerabilities ?? [])))
  if (Array.isArray(told?.vulns)) return osv(told.vulns)
  if (Array.isArray(told)) return osv(told)
  if (told?.affected) return osv([told])
  throw new Error('the advisory file is neither an npm or pnpm audit nor OSV')
}

const lower = (severity: unknown) => (typeof severity === 'string' ? severity.toLowerCase() : 'unknown')
const inRange = (range: string) => (version: string) => satisfies(version, range, { includePrerelease: true })

function osv(entries: any[]): Advisory[] {
  return entries.flatMap(({ id, affected, database_specific, withdrawn }) => {
    if (!Array.isArray(affected)) throw new Error(`the advisory ${id ?? ''} does not say what it affects`)
    if (withdrawn) return []
    return affected
      .filter((each: any) => each.package?.ecosystem === 'npm')
      .map((each: any) => ({
        id,
        name: each.package.name,
        severity: lower(database_specific?.severity ?? each.database_specific?.severity),
        affects: (version: string) =>
          (each.versions ?? []).includes(version) || (each.ranges ?? []).some((range: any) => between(range.events, version)),
      }))
  })
}

/** Events come in order: each `introduced` opens what the next `fixed` or `last_affected` closes. */
function between(events: { introduced?: string; fixed?: string; last_affected?: string }[], version: string): boolean {
  let from: string | null = null
  for (const { introduced, fixed, last_affected } of events) {
    if (introduced !== undefined) from = introduced === '0' ? '0.0.0-0' : introduced
    const until = fixed !== undefined ? `<${fixed}` : last_affected !== undefined ? `<=${last_affected}` : null
    if (until === null || from === null) continue
    if (inRange(`>=${from} ${until}`)(version)) return true
    from = null
  }
  return from !== null && inRange(`>=${from}`)(version)
}
