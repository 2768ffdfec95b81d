import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { advisoryFile, gravestHoles } from '@operon/deploy/advisories'
import { readLock } from '@operon/deploy/sbom'
import { parse } from 'yaml'
import type { Attack } from './world.ts'

const root = resolve(import.meta.dirname, '../../..')
// MPL-2.0 binds whoever changes the files of such a package, and they are used as they come.
const allowed =
  /^(MPL-2\.0|MIT|MIT-0|ISC|0BSD|BSD(-[23]-Clause)?|Apache-2\.0|BlueOak-1\.0\.0|CC0-1\.0|Unlicense|Python-2\.0|PostgreSQL|WTFPL|OFL-1\.1)$/

/** Packages whose manifest names no licence, with where they do. Another version is looked at anew. */
const saidElsewhere: Record<string, string> = { 'combine-errors@3.0.3': 'MIT: its Readme' }

type Lock = { packages: Record<string, { resolution?: { integrity?: string; tarball?: string; repo?: string } }> }

// S22: what ships: known holes (where the registry answers), where each package comes from, and under which licence.
export const attack: Attack = async () => {
  const findings: string[] = []
  const notes: string[] = []
  const lock = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')) as Lock
  const packages = Object.entries(lock.packages)
  for (const [name, { resolution }] of packages) {
    if (!resolution?.integrity?.startsWith('sha512-')) findings.push(`${name} is locked without a hash`)
    if (resolution?.tarball || resolution?.repo) findings.push(`${name} comes from outside the registry`)
  }
  const workspace = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')) as { allowBuilds?: Record<string, boolean> }
  if (!workspace.allowBuilds) findings.push('any package may run scripts when it is installed')
  const manifests = ['', 'gateway', 'web', 'deploy', 'libs/kit', 'libs/contracts', ...services()].map((folder) =>
    join(folder, 'package.json'),
  )
  for (const manifest of manifests) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8')) as { dependencies?: Record<string, string> }
    for (const [name, version] of Object.entries(dependencies))
      if (!version.startsWith('workspace:') && !/^\d/.test(version)) findings.push(`${manifest} wants ${name} ${version}, not one version`)
  }
  const shipped = await pnpm(['-r', 'licenses', 'list', '--prod', '--json'])
  const licences = shipped.ok ? (JSON.parse(shipped.text) as Record<string, { name: string; versions: string[]; paths: string[] }[]>) : {}
  if (!shipped.ok) notes.push(`licences could not be listed: ${shipped.text}`)
  for (const [licence, all] of Object.entries(licences)) {
    // A package that is not installed, as a second Node where the machine has its own, has no licence to be read.
    const here = all.filter(({ paths }) => paths.some((path) => existsSync(path)))
    const some = here.filter(({ name, versions }) => !versions.every((version) => saidElsewhere[`${name}@${version}`]))
    if (
      some.length &&
      !licence
        .replace(/[()]/g, '')
        .split(/ OR /)
        .some((each) => each.split(/ AND /).every((part) => allowed.test(part)))
    )
      findings.push(`${some.map(({ name }) => name).join(', ')}: ${licence}`)
  }
  const told = gravestHoles(readLock())
  for (const { id, name, version, severity } of told ?? []) findings.push(`${name} ${version}: ${severity}, ${id} (${advisoryFile()})`)
  const audit = await pnpm(['audit', '--prod', '--audit-level', 'high', '--json'])
  const answered = jsonOf(audit.text) as { metadata?: { vulnerabilities?: Record<string, number> } } | null
  const holes = answered?.metadata?.vulnerabilities
  if (holes) {
    if ((holes.high ?? 0) + (holes.critical ?? 0))
      findings.push(`${holes.high} high and ${holes.critical} critical advisories: pnpm audit --prod`)
  } else if (told === null)
    notes.push(
      `known holes are not looked up: no audit is answered here (${/ERR_\w+/.exec(audit.text)?.[0] ?? 'no answer'}), and there is no ${advisoryFile()}`,
    )
  return { tried: packages.length + Object.values(licences).flat().length, findings, notes }
}

const services = () =>
  Object.keys(JSON.parse(readFileSync(join(root, 'deploy/package.json'), 'utf8')).dependencies as object)
    .filter((name) => name.startsWith('@operon/'))
    .map((name) => `services/${name.slice(8)}`)
    .filter((folder) => existsSync(join(root, folder)))

async function pnpm(args: string[]): Promise<{ ok: boolean; text: string }> {
  try {
    const { stdout } = await promisify(execFile)('npx', ['--yes', 'pnpm@12.21.0', ...args], {
      cwd: root,
      timeout: 40_000,
      maxBuffer: 64 << 20,
    })
    return { ok: true, text: stdout }
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string }
    return {
      ok: false,
      text:
        stdout ||
        stderr
          .replace(/^npm warn.*$/gm, '')
          .replace(/\s+/g, ' ')
          .trim() ||
        message,
    }
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
